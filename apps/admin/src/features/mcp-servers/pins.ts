import { rest } from '@tollgate/contracts';

// Pins of tools: which tested tools have the pinned definition, and the pins after a change. Pure.

type Pins = readonly rest.McpToolPin[];
type Tool = Pick<rest.McpTestedTool, 'name' | 'sha256'>;

/**
 * Compared with the pins of the server as it is now: the test's own comparison is out of date after a
 * tool is pinned.
 */
export function pinStateOf(pins: Pins, { name, sha256 }: Tool): rest.McpPinState {
  const pin = pins.find((known) => known.name === name);
  if (pin === undefined) return 'NONE';
  return pin.sha256 === sha256 ? 'MATCH' : 'CHANGED';
}

/** Pins the tools with their tested definitions. A changed tool gets its new one. */
export function pinned(pins: Pins, tools: readonly Tool[]): rest.McpToolPin[] {
  const names = new Set(tools.map(({ name }) => name));
  const kept = pins.filter(({ name }) => !names.has(name));
  return [...kept, ...tools.map(({ name, sha256 }) => ({ name, sha256 }))];
}

export function unpinned(pins: Pins, names: readonly string[]): rest.McpToolPin[] {
  return pins.filter(({ name }) => !names.includes(name));
}

/** Pinned tools that the tested server does not list. Unknown when the list was cut short. */
export function missingPins(pins: Pins, test: Pick<rest.McpServerTest, 'tools' | 'truncated'>) {
  if (test.truncated) return [];
  const listed = new Set(test.tools.map(({ name }) => name));
  return pins.filter(({ name }) => !listed.has(name)).map(({ name }) => name);
}

export function fitsPins(pins: Pins): boolean {
  return pins.length <= rest.MCP_MAX_TOOLS;
}
