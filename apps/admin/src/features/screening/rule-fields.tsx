'use client';

import {
  PERSONAL_DATA_TYPES,
  SCREENING_ACTIONS,
  SCREENING_PLACES,
  type ScreeningAction,
  type ScreeningKind,
} from '@tollgate/contracts';
import { Trash2 } from 'lucide-react';

import { IconButton } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextAreaField, TextField } from '../../design/text-field';
import { AskingFields } from './asking-fields';
import { Checks } from './checks';
import { asKind, toggled, type RuleDraft } from './draft';
import { ACTION_WORDS, KIND_WORDS, PLACE_WORDS, TYPE_WORDS, WHOLE_PLACES } from './words';

interface RuleFieldsProps {
  readonly rule: RuleDraft;
  readonly place: number;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<RuleDraft>) => void;
  readonly onRemove: () => void;
}

const KINDS = Object.keys(KIND_WORDS) as ScreeningKind[];

/** One rule of a policy. */
export function RuleFields({ rule, place, error, onChange, onRemove }: RuleFieldsProps) {
  const title = `Rule ${String(place + 1)}`;
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 rounded-md border p-4">
      <legend className="sr-only">{title}</legend>
      <div className="flex items-center justify-between">
        <h3 className="text-sm font-medium">{title}</h3>
        <IconButton label={`Remove rule ${String(place + 1)}`} onClick={onRemove}>
          <Trash2 />
        </IconButton>
      </div>
      <ErrorText>{error}</ErrorText>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Finds"
          hint={KIND_WORDS[rule.kind].note}
          value={rule.kind}
          choices={KINDS.map((value) => ({ value, label: KIND_WORDS[value].label }))}
          onChange={(kind) => onChange(asKind(rule, kind))}
        />
        <TextField
          label="Name of the rule"
          hint="In records and headers. Lower-case letters, digits and hyphens."
          value={rule.id}
          onChange={(id) => onChange({ id })}
          spellCheck={false}
          maxLength={64}
        />
      </div>
      <KindFields rule={rule} onChange={onChange} />
      {WHOLE_PLACES[rule.kind] === undefined && (
        <Checks
          legend="Looks at"
          all={SCREENING_PLACES}
          labelOf={(value) => PLACE_WORDS[value]}
          chosen={rule.where}
          onChange={(value, on) =>
            onChange({ where: toggled(SCREENING_PLACES, rule.where, value, on) })
          }
        />
      )}
      <Consequences rule={rule} onChange={onChange} />
    </fieldset>
  );
}

interface PartProps {
  readonly rule: RuleDraft;
  readonly onChange: (part: Partial<RuleDraft>) => void;
}

const LINES: Partial<Record<ScreeningKind, { readonly label: string; readonly hint: string }>> = {
  KEYWORDS: { label: 'Words and phrases', hint: 'One per line, at most 2,000.' },
  REGEX: { label: 'Patterns', hint: 'One per line with its name, as TICKET: T-[0-9]+' },
  URLS: { label: 'Domains', hint: 'One per line, as example.com. Subdomains are included.' },
  MODELS: {
    label: 'Model names',
    hint: 'One per line, as your organisation names them. gpt-4* stands for all that begin with gpt-4.',
  },
  PARAMETERS: {
    label: 'Checks',
    hint: 'One per line: max_tokens <= 4000, temperature >= 0, tools has at most 5 items, logit_bias must not be sent, user must be sent, response_format.type is one of json_schema.',
  },
};

/** What only some kinds have. */
function KindFields({ rule, onChange }: PartProps) {
  const { kind } = rule;
  const lines = LINES[kind];
  return (
    <>
      {kind === 'PERSONAL_DATA' && (
        <Checks
          legend="Kinds of data"
          all={PERSONAL_DATA_TYPES}
          labelOf={(value) => TYPE_WORDS[value]}
          chosen={rule.types}
          onChange={(value, on) =>
            onChange({ types: toggled(PERSONAL_DATA_TYPES, rule.types, value, on) })
          }
        />
      )}
      <Modes rule={rule} onChange={onChange} />
      {lines !== undefined && (
        <TextAreaField
          {...lines}
          value={rule.lines}
          onChange={(text) => onChange({ lines: text })}
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
        />
      )}
      {kind === 'JSON_SCHEMA' && (
        <TextAreaField
          label="JSON schema"
          hint="Draft 2020-12. A text around the JSON, as a code fence, does not match. Answers that call tools are not judged."
          value={rule.schema}
          onChange={(schema) => onChange({ schema })}
          rows={8}
          spellCheck={false}
          className="font-mono text-sm"
        />
      )}
      <MatchSwitches rule={rule} onChange={onChange} />
      {kind === 'SIZE' && (
        <NumberField
          label="Most characters"
          hint="Of all texts together."
          value={rule.maxCharacters}
          onChange={(maxCharacters) => onChange({ maxCharacters })}
        />
      )}
      {kind === 'CANARY' && (
        <TextField
          label="Canary"
          hint="At least 8 characters that your system prompt contains and nobody would write."
          value={rule.token}
          onChange={(token) => onChange({ token })}
          spellCheck={false}
        />
      )}
      {(kind === 'EXTERNAL' || kind === 'PLUGIN') && (
        <AskingFields rule={rule} onChange={onChange} />
      )}
    </>
  );
}

/** Whether the list is of what is refused. */
function Modes({ rule, onChange }: PartProps) {
  const { kind } = rule;
  return (
    <>
      {kind === 'URLS' && (
        <SelectField
          label="Links that are hits"
          value={rule.mode}
          choices={[
            { value: 'DENY', label: 'To these domains' },
            { value: 'ALLOW', label: 'To all but these domains' },
          ]}
          onChange={(mode) => onChange({ mode })}
        />
      )}
      {kind === 'MODELS' && (
        <SelectField
          label="Models that are refused"
          value={rule.mode}
          choices={[
            { value: 'DENY', label: 'These models' },
            { value: 'ALLOW', label: 'All but these models' },
          ]}
          onChange={(mode) => onChange({ mode })}
        />
      )}
    </>
  );
}

/** How words and patterns match. */
function MatchSwitches({ rule, onChange }: PartProps) {
  const { kind } = rule;
  return (
    <>
      {kind === 'KEYWORDS' && (
        <Switch
          label="Whole words only"
          checked={rule.wholeWords}
          onChange={(wholeWords) => onChange({ wholeWords })}
        />
      )}
      {(kind === 'KEYWORDS' || kind === 'REGEX') && (
        <Switch
          label="Match upper and lower case exactly"
          checked={rule.caseSensitive}
          onChange={(caseSensitive) => onChange({ caseSensitive })}
        />
      )}
    </>
  );
}

function actionsOf(kind: ScreeningKind): readonly ScreeningAction[] {
  const finds = WHOLE_PLACES[kind] === undefined;
  return SCREENING_ACTIONS.filter((action) => finds || action !== 'MASK');
}

function unreadableHint(kind: ScreeningKind): string {
  if (kind === 'EXTERNAL' || kind === 'PLUGIN') return 'Or if its service gives no verdict.';
  if (kind === 'JSON_SCHEMA') return 'As with an answer that is too long.';
  return 'As with token ids in place of a prompt.';
}

const NEW = 'new';
const EVERYONE = ['system', 'user', 'assistant'] as const;

function Consequences({ rule, onChange }: PartProps) {
  const { action, onError, roles } = rule;
  const reads = roles === null ? NEW : roles.join(',');
  const choices = [
    { value: NEW, label: 'What is new in the request' },
    { value: 'user', label: 'All turns of the user' },
    { value: EVERYONE.join(','), label: 'All turns of everyone' },
  ];
  const known = choices.some(({ value }) => value === reads);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="On a hit"
          hint={ACTION_WORDS[action].note}
          value={action}
          choices={actionsOf(rule.kind).map((value) => ({
            value,
            label: ACTION_WORDS[value].label,
          }))}
          onChange={(next) => onChange({ action: next })}
        />
        <SelectField
          label="If the rule cannot read the text"
          hint={unreadableHint(rule.kind)}
          value={onError}
          choices={[
            { value: '', label: 'Choose' },
            { value: 'BLOCK', label: 'Refuse the request' },
            { value: 'PASS', label: 'Let it pass, and record that' },
          ]}
          onChange={(next) => onChange({ onError: next })}
        />
        {action !== 'MASK' && WHOLE_PLACES[rule.kind] === undefined && (
          <SelectField
            label="Reads"
            value={reads}
            choices={known ? choices : [...choices, { value: reads, label: reads }]}
            onChange={(next) =>
              onChange({
                roles: next === NEW ? null : EVERYONE.filter((one) => next.includes(one)),
              })
            }
          />
        )}
      </div>
      {action === 'BLOCK' && (
        <TextField
          label="Message"
          optional
          hint="What the refused client reads."
          value={rule.message}
          onChange={(message) => onChange({ message })}
          maxLength={300}
        />
      )}
      {action === 'MASK' && (
        <Switch
          label="Put masked texts back into the answer"
          checked={rule.restore}
          onChange={(restore) => onChange({ restore })}
        />
      )}
    </>
  );
}
