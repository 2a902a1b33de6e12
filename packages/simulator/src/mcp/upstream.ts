// One MCP server of the simulator, whatever transports it is reached by: its state, and who hears of
// changes. Each name in a URL is a server of its own.

import type { CallCounts } from './calls';
import type { McpDirectives } from './directives';

/** A connection to tell of changes: a session, a stdio pipe, or the listeners of the stateless revision. */
export interface ChangeListener {
  toolsChanged(): void;
  promptsChanged(): void;
  resourceUpdated(uri: string): void;
}

export interface McpUpstream {
  readonly name: string;
  /** What the name asks for. */
  readonly directives: McpDirectives;
  /** Counts the changes of the tool `sim_changing`, from 1. */
  revision(): number;
  changeTools(): void;
  changePrompts(): void;
  updateResource(uri: string): void;
  /** Returns a function that ends the listening. */
  listen(listener: ChangeListener): () => void;
  /** Waits until `release`, or until the signal aborts. */
  hold(signal: AbortSignal): Promise<void>;
  /** Lets everything go that is held; says how many. */
  release(): number;
  countTool(name: string, stage: 'started' | 'finished' | 'cancelled'): void;
}

export function createUpstream(
  name: string,
  directives: McpDirectives,
  counts: CallCounts,
): McpUpstream {
  let revision = 1;
  const listeners = new Set<ChangeListener>();
  const held = new Set<() => void>();
  const tell = (change: (listener: ChangeListener) => void): void => {
    for (const listener of listeners) change(listener);
  };

  return {
    name,
    directives,
    revision: () => revision,
    changeTools() {
      revision += 1;
      tell((listener) => listener.toolsChanged());
    },
    changePrompts: () => tell((listener) => listener.promptsChanged()),
    updateResource: (uri) => tell((listener) => listener.resourceUpdated(uri)),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    hold: (signal) =>
      new Promise((resolve) => {
        const letGo = (): void => {
          held.delete(letGo);
          signal.removeEventListener('abort', letGo);
          resolve();
        };
        held.add(letGo);
        signal.addEventListener('abort', letGo);
        if (signal.aborted) letGo();
      }),
    release() {
      const { size } = held;
      for (const letGo of held) letGo();
      return size;
    },
    countTool: (tool, stage) => counts.count(name, 'tools/call', tool, stage),
  };
}
