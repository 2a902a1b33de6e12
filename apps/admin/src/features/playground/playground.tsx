'use client';

import { ArrowUp, MessageSquareText, Square, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { TextArea } from '../../design/field';
import { Page } from '../../design/page';
import { useOrganisation } from '../../shell/scope';
import { NO_SETTINGS, requestOf, type Problems } from './settings';
import { SettingsForm } from './settings-form';
import { TurnView } from './turn-view';
import { historyOf, useConversation } from './use-conversation';

type PlaygroundProps = {
  readonly firstModel: string | undefined;
  /** Ids of the models the user may use; undefined: all. */
  readonly allowed: readonly string[] | undefined;
};

/** Talks to a model as an application would: through the gateway, within every limit. */
export function Playground({ firstModel, allowed }: PlaygroundProps) {
  const { id: organisationId } = useOrganisation();
  const [settings, setSettings] = useState({ ...NO_SETTINGS, model: firstModel });
  const [problems, setProblems] = useState<Problems>({});
  const { turns, busy, ask, stop, clear } = useConversation(organisationId);

  const send = (question: string): boolean => {
    const conversation = [...historyOf(turns), { role: 'user' as const, content: question }];
    const asked = requestOf(settings, conversation);
    setProblems('problems' in asked ? asked.problems : {});
    if ('problems' in asked) return false;
    void ask(asked.request, question);
    return true;
  };

  return (
    <Page
      title="Playground"
      description="Try a model through the gateway: the same limits, prices and errors."
      actions={
        <Button onClick={clear} disabled={turns.length === 0}>
          <Trash2 aria-hidden />
          Clear
        </Button>
      }
    >
      <div className="grid items-start gap-5 lg:grid-cols-[18rem_1fr]">
        <Card title="Settings">
          <SettingsForm
            settings={settings}
            problems={problems}
            allowed={allowed}
            onChange={setSettings}
          />
        </Card>
        <section
          aria-label="Conversation"
          className="flex h-[80dvh] min-h-[26rem] flex-col rounded-lg border bg-surface lg:h-[calc(100dvh-9rem)]"
        >
          <Turns turns={turns} />
          <Composer busy={busy} onSend={send} onStop={stop} />
        </section>
      </div>
    </Page>
  );
}

function Turns({ turns }: { turns: ReturnType<typeof useConversation>['turns'] }) {
  const box = useRef<HTMLDivElement>(null);
  const length = turns.at(-1)?.reply.text.length ?? 0;
  useEffect(() => {
    const { current } = box;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [turns.length, length]);
  return (
    <div ref={box} tabIndex={0} aria-label="Messages" className="flex-1 overflow-y-auto p-4">
      {turns.length === 0 ? (
        <Empty icon={MessageSquareText} title="Nothing said yet">
          Choose a model and write a message. Tokens, cost and latency stand below each answer.
        </Empty>
      ) : (
        <div className="flex flex-col gap-6">
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} />
          ))}
        </div>
      )}
    </div>
  );
}

type ComposerProps = {
  readonly busy: boolean;
  /** False when it was not sent, so that the text stays. */
  readonly onSend: (question: string) => boolean;
  readonly onStop: () => void;
};

function Composer({ busy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const send = (): void => {
    if (busy || text.trim() === '') return;
    if (onSend(text.trim())) setText('');
  };
  const press = (event: KeyboardEvent): void => {
    // Not while an input method is still composing the word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="flex items-end gap-2 border-t p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        aria-label="Message"
        placeholder="Message (Enter sends, Shift+Enter begins a line)"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        className="max-h-48 flex-1 resize-y"
      />
      {busy ? (
        <Button onClick={onStop}>
          <Square aria-hidden />
          Stop
        </Button>
      ) : (
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          <ArrowUp aria-hidden />
          Send
        </Button>
      )}
    </form>
  );
}
