'use client';

import { Braces, ListTree, Play, Square } from 'lucide-react';
import { useMemo, useState, type FormEvent } from 'react';

import type { ListedTool } from '../../../api/mcp-playground';
import { Button } from '../../../design/button';
import { TextAreaField } from '../../../design/text-field';
import { argumentsOf, draftShowing, emptyDraft, type Draft, type Problems } from './argument-draft';
import { fieldOfTool, type Field } from './schema-fields';
import { SchemaForm } from './schema-form';

interface ArgumentsFormProps {
  readonly tool: ListedTool;
  readonly busy: boolean;
  readonly onCall: (given: Readonly<Record<string, unknown>>) => void;
  readonly onStop: () => void;
}

/** The arguments as JSON: for those that no form can show. */
const JSON_FIELD: Field = { kind: 'json', hint: undefined };
const NOT_SHOWN =
  'The form cannot show these arguments. Change them, or call the tool with the JSON.';

/** The state of the form: its draft, or the arguments as JSON. */
function useArguments({ inputSchema }: ListedTool) {
  const field = useMemo(() => fieldOfTool(inputSchema), [inputSchema]);
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(field));
  const [json, setJson] = useState<string | undefined>(field.kind === 'json' ? '{}' : undefined);
  const [problems, setProblems] = useState<Problems>({});

  const read = () =>
    json === undefined ? argumentsOf(field, draft) : argumentsOf(JSON_FIELD, json);
  /** The arguments; undefined where the form shows what is wrong. */
  const checked = (): Readonly<Record<string, unknown>> | undefined => {
    const given = read();
    setProblems('problems' in given ? given.problems : {});
    return 'problems' in given ? undefined : given.arguments;
  };
  const toJson = (): void => {
    const given = argumentsOf(field, draft);
    setProblems({});
    setJson('arguments' in given ? JSON.stringify(given.arguments, undefined, 2) : '{}');
  };
  const toForm = (): void => {
    const given = checked();
    if (given === undefined) return;
    const shown = draftShowing(field, given);
    if (shown === undefined) return setProblems({ '': NOT_SHOWN });
    setDraft(shown);
    setJson(undefined);
  };
  return {
    field,
    draft,
    json,
    problems,
    checked,
    toJson,
    toForm,
    changeDraft: (next: Draft): void => {
      setDraft(next);
      setProblems({});
    },
    changeJson: (next: string): void => {
      setJson(next);
      setProblems({});
    },
  };
}

/** The form of a tool's arguments, made from its schema. All of them can be written as JSON instead. */
export function ArgumentsForm({ tool, busy, onCall, onStop }: ArgumentsFormProps) {
  const { field, draft, json, problems, ...act } = useArguments(tool);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = busy ? undefined : act.checked();
    if (given !== undefined) onCall(given);
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      {json === undefined ? (
        <SchemaForm field={field} draft={draft} problems={problems} onChange={act.changeDraft} />
      ) : (
        <TextAreaField
          label="Arguments"
          hint="A JSON object."
          error={problems['']}
          value={json}
          onChange={act.changeJson}
          rows={10}
          spellCheck={false}
          className="font-mono text-sm"
        />
      )}
      <div className="flex flex-wrap gap-2">
        {busy ? (
          <Button key="stop" onClick={onStop}>
            <Square aria-hidden />
            Stop
          </Button>
        ) : (
          <Button key="call" type="submit" look="primary">
            <Play aria-hidden />
            Call tool
          </Button>
        )}
        {json === undefined ? (
          <Button onClick={act.toJson}>
            <Braces aria-hidden />
            Write as JSON
          </Button>
        ) : (
          field.kind !== 'json' && (
            <Button onClick={act.toForm}>
              <ListTree aria-hidden />
              Use the form
            </Button>
          )
        )}
      </div>
    </form>
  );
}
