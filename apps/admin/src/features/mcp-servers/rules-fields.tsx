'use client';

import type { rest } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { TextAreaField } from '../../design/text-field';
import { sentence } from '../../format/words';
import { fieldsOf } from '../../resource/use-form';
import { draftOf, nameRulesOf, type NameRulesDraft, type RulesDraft } from './rules-draft';
import { ToolPicker } from './tool-picker';

interface RulesFieldsProps {
  readonly server: rest.McpServer;
  readonly rules: RulesDraft;
  /** Rules of a grant, which the server's own rules narrow further. */
  readonly ofGrant?: boolean;
  readonly error: ApiError | undefined;
  /** The path prefix of the rules in the request: "grants[0].". */
  readonly at?: string;
  readonly onChange: (rules: RulesDraft) => void;
}

/** Which tools, prompts and resources may be used: the tools from a list, all of them by patterns. */
export function RulesFields(props: RulesFieldsProps) {
  const { server, rules, ofGrant = false, error, at = '', onChange } = props;
  const set = (kind: rest.McpRuleKind, part: Partial<NameRulesDraft>): void =>
    onChange({ ...rules, [kind]: { ...rules[kind], ...part } });
  const patterns = (kind: rest.McpRuleKind) => (
    <Patterns
      kind={kind}
      draft={rules[kind]}
      error={error}
      at={at}
      onChange={(part) => set(kind, part)}
    />
  );
  const others = (['prompts', 'resources'] as const).map((kind) => ({
    kind,
    faulty: fieldError(error, `${at}${kind}`) !== undefined,
  }));
  return (
    <>
      <ToolPicker
        server={server}
        rules={nameRulesOf(rules.tools)}
        outer={ofGrant ? server.tools : undefined}
        onChange={(tools) => set('tools', draftOf(tools))}
      />
      {patterns('tools')}
      {others.map(({ kind, faulty }) => (
        <details key={kind} open={faulty || undefined}>
          <summary className="text-sm font-medium">{sentence(kind)}</summary>
          <div className="mt-3 flex flex-col gap-4">{patterns(kind)}</div>
        </details>
      ))}
    </>
  );
}

interface PatternsProps {
  readonly kind: rest.McpRuleKind;
  readonly draft: NameRulesDraft;
  readonly error: ApiError | undefined;
  readonly at: string;
  readonly onChange: (part: Partial<NameRulesDraft>) => void;
}

function Patterns({ kind, draft, error, at, onChange }: PatternsProps) {
  const field = fieldsOf({ draft, error, onChange }, (name) =>
    fieldError(error, `${at}${kind}.${name}`),
  );
  const what = kind === 'resources' ? 'URIs of resources' : `names of ${kind}`;
  const whole = error?.details.find(({ path }) => path === `${at}${kind}`)?.message;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextAreaField
        label={`Allowed ${kind}`}
        hint={`Exact ${what}, or beginnings followed by *, one per line. * alone allows all. Empty: none.`}
        {...field('allowed')}
        {...(whole === undefined ? {} : { error: whole })}
        rows={3}
        spellCheck={false}
        className="font-mono text-sm"
      />
      <TextAreaField
        label={`Denied ${kind}`}
        optional
        hint="Refused even if they are allowed."
        {...field('denied')}
        rows={3}
        spellCheck={false}
        className="font-mono text-sm"
      />
    </div>
  );
}
