'use client';

import { Code, MessageSquareText, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useEffect, useRef, useState } from 'react';

import { Button } from '../../design/button';
import { Empty } from '../../design/empty';
import { Page } from '../../design/page';
import { useOrganisation } from '../../shell/scope';
import type { ChatRequest } from './chat';
import { Composer } from './composer';
import { readyOf, requestOf, type Problems, type Ready, type Settings } from './settings';
import { addressOf } from './settings-address';
import { SettingsForm } from './settings-form';
import { SettingsPanel } from './settings-panel';
import { PlaygroundTabs } from './tabs';
import { TurnView } from './turn-view';
import {
  historyOf,
  messageOf,
  useConversation,
  type Conversation,
  type Question,
  type Turn,
} from './use-conversation';

const CodeDialog = dynamic(() => import('./code-dialog').then((module) => module.CodeDialog), {
  ssr: false,
});

const NOTHING: Question = { text: '', images: [] };
/** The sample message of generated code. */
const GREETING: Question = { text: 'Hello', images: [] };

interface PlaygroundProps {
  /** Of the address. */
  readonly initial: Settings;
  /** Ids of usable models; undefined: all. */
  readonly allowed: readonly string[] | undefined;
}

/** The playground's state: settings, message, and a conversation per model. */
function usePlayground(initial: Settings) {
  const { id: organisationId } = useOrganisation();
  const [settings, setSettings] = useState(initial);
  useEffect(() => keepInAddress(settings), [settings]);
  const [problems, setProblems] = useState<Problems>({});
  const [draft, setDraft] = useState(NOTHING);
  const [code, setCode] = useState<readonly ChatRequest[]>();
  const lanes = [useConversation(organisationId), useConversation(organisationId)];
  const shown = lanes.slice(0, settings.models.length);
  const each = (act: (lane: Conversation) => void): void => lanes.forEach(act);

  const checked = (): Ready | undefined => {
    const read = readyOf(settings);
    setProblems('problems' in read ? read.problems : {});
    return 'problems' in read ? undefined : read.ready;
  };
  const send = (): void => {
    const ready = checked();
    if (ready === undefined) return;
    const question = { ...draft, text: draft.text.trim() };
    for (const [index, { turns, ask }] of shown.entries()) {
      const conversation = [...historyOf(turns), messageOf(question)];
      void ask(requestOf(ready, ready.models[index] ?? '', conversation), question);
    }
    setDraft(NOTHING);
  };
  const showCode = (): void => {
    const ready = checked();
    if (ready !== undefined) setCode(requestsOf(ready, shown, draft));
  };

  return {
    settings,
    setSettings,
    problems,
    draft,
    setDraft,
    code,
    setCode,
    lanes,
    shown,
    each,
    send,
    showCode,
  };
}

/** Without a navigation, which would read the page again for each letter. */
function keepInAddress(settings: Settings): void {
  const here = new URL(location.href);
  for (const [name, value] of Object.entries(addressOf(settings))) {
    if (value === undefined) here.searchParams.delete(name);
    else here.searchParams.set(name, value);
  }
  if (here.href !== location.href) history.replaceState(null, '', here);
}

/** Chats with one model, or two side by side, as an application would. */
export function Playground({ initial, allowed }: PlaygroundProps) {
  const { settings, problems, draft, code, lanes, shown, each, ...act } = usePlayground(initial);
  return (
    <Page
      title="Playground"
      description="Try models through the gateway, with the same limits, prices and errors as applications."
      fill
      actions={
        <>
          <Button onClick={act.showCode}>
            <Code aria-hidden />
            View as code
          </Button>
          <Button
            onClick={() => each((lane) => lane.clear())}
            disabled={lanes.every(({ turns }) => turns.length === 0)}
          >
            <Trash2 aria-hidden />
            Clear
          </Button>
        </>
      }
    >
      <PlaygroundTabs />
      <div className="grid gap-5 lg:min-h-0 lg:flex-1 lg:grid-cols-[18rem_minmax(0,1fr)]">
        <SettingsPanel
          summary={settings.models.map((model) => model ?? 'no model yet').join(' and ')}
          urgent={Object.keys(problems).length > 0 || settings.models.includes(undefined)}
        >
          <SettingsForm
            settings={settings}
            problems={problems}
            allowed={allowed}
            onChange={act.setSettings}
          />
        </SettingsPanel>
        <div className="flex min-h-[26rem] flex-col gap-3">
          <div className="flex flex-1 flex-col gap-3 md:min-h-0 md:flex-row">
            {shown.map(({ turns }, index) => (
              <Lane
                key={index}
                turns={turns}
                name={shown.length === 1 ? undefined : (settings.models[index] ?? 'No model yet')}
              />
            ))}
          </div>
          <Composer
            draft={draft}
            onChange={act.setDraft}
            busy={lanes.some(({ busy }) => busy)}
            onSend={act.send}
            onStop={() => each((lane) => lane.stop())}
          />
        </div>
      </div>
      {code !== undefined && <CodeDialog requests={code} onClose={() => act.setCode(undefined)} />}
    </Page>
  );
}

/** The next request, or the last one while the message is empty. */
function requestsOf(
  ready: Ready,
  lanes: readonly Conversation[],
  draft: Question,
): readonly ChatRequest[] {
  return ready.models.map((model, index) => {
    const turns = lanes[index]?.turns ?? [];
    const written = draft.text.trim() !== '' || draft.images.length > 0;
    const question = written ? draft : (turns.at(-1)?.question ?? GREETING);
    const before = historyOf(written ? turns : turns.slice(0, -1));
    return requestOf(ready, model, [...before, messageOf(question)]);
  });
}

function Lane({ turns, name }: { turns: readonly Turn[]; name: string | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const reply = turns.at(-1)?.reply;
  const length = (reply?.text.length ?? 0) + (reply?.toolCalls.length ?? 0);
  useEffect(() => {
    const { current } = box;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [turns.length, length]);
  return (
    <section
      aria-label={name === undefined ? 'Conversation' : `Conversation with ${name}`}
      className="flex min-h-64 min-w-0 flex-1 flex-col rounded-lg border bg-surface max-lg:max-h-[70dvh] md:min-h-0"
    >
      {name !== undefined && (
        <h2 className="truncate border-b px-4 py-2 text-sm font-medium">{name}</h2>
      )}
      <div
        ref={box}
        tabIndex={0}
        role="group"
        aria-label="Messages"
        className="flex-1 overflow-y-auto p-4"
      >
        {turns.length === 0 ? (
          <Empty icon={MessageSquareText} title="No messages yet">
            Choose a model and write a message. Each response shows its tokens, cost and latency.
          </Empty>
        ) : (
          <div className="flex flex-col gap-6">
            {turns.map((turn) => (
              <TurnView key={turn.id} turn={turn} />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}
