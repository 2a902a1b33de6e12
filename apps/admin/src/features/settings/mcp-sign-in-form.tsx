'use client';

import { rest } from '@tollgate/contracts';
import { Plus, Trash2 } from 'lucide-react';

import { useRead } from '../../api/provider';
import { Button, IconButton } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { Select, TextInput } from '../../design/field';
import { fieldError } from '../../design/field-error';
import { TextAreaField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { signInBody, signInDraft, type McpSignInDraft, type RuleDraft } from './mcp-sign-in-draft';

/** Fields that show their own errors. */
const FIELDS = ['issuer', 'audiences', 'scopes', 'rules'];
/** As many keys as one page of a list has. */
const KEYS_SHOWN = 200;

/** Edits which tokens of which identity provider stand for which API keys. */
export function McpSignInForm({ onClose }: { onClose: () => void }) {
  const { id: organisationId } = useOrganisation();
  return (
    <Window
      title="Sign-in of web clients"
      description="MCP clients without an API key sign in at your identity provider. Rules say which key their token stands for."
      wide
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getMcpSignIn} input={{ params: { organisationId } }}>
        {({ value, etag }) => <Form signIn={value} etag={etag} onClose={onClose} />}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly signIn: rest.McpSignIn;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

function Form({ signIn, etag, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave<McpSignInDraft, rest.McpSignIn>({
    initial: signInDraft(signIn),
    known: { etag },
    stale: [rest.getMcpSignIn.id],
    send: (draft, call) =>
      call(rest.setMcpSignIn, { params: { organisationId }, body: signInBody(draft) }),
    onClose,
  });
  return (
    <FormBody form={form} fields={FIELDS} submit="Save" onClose={onClose}>
      <TextField
        label="Issuer"
        hint="The address of the identity provider, exactly as its tokens and its metadata state it."
        {...form.field('issuer')}
        placeholder="https://login.example.com/realms/staff"
        inputMode="url"
        spellCheck={false}
        autoFocus
      />
      <Rules
        rules={form.draft.rules}
        error={fieldError(form.error, 'rules')}
        onChange={(rules) => form.change({ rules })}
      />
      <TextAreaField
        label="Further audiences"
        optional
        hint="One per line. Tokens for the address of the MCP server itself are always accepted."
        {...form.field('audiences')}
        rows={2}
        spellCheck={false}
      />
      <TextAreaField
        label="Required scopes"
        optional
        hint="One per line. A token needs all of them."
        {...form.field('scopes')}
        rows={2}
        spellCheck={false}
      />
    </FormBody>
  );
}

interface RulesProps {
  readonly rules: readonly RuleDraft[];
  readonly error: string | undefined;
  readonly onChange: (rules: readonly RuleDraft[]) => void;
}

function Rules({ rules, error, onChange }: RulesProps) {
  const { id: organisationId } = useOrganisation();
  const { data } = useRead(rest.listApiKeys, {
    params: { organisationId },
    query: { limit: KEYS_SHOWN, status: 'ACTIVE' },
  });
  const keys = data?.data ?? [];
  const set = (index: number, part: Partial<RuleDraft>): void =>
    onChange(rules.map((row, place) => (place === index ? { ...row, ...part } : row)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">Rules</legend>
      <p className="text-sm text-ink-soft">
        The first rule that a token matches names its key. A value of * stands for any; an email
        counts only if the provider has verified it.
      </p>
      {rules.map((row, index) => (
        // Rows have no id but their position.
        <div key={index} className="flex items-center gap-2">
          <RuleFields
            rule={row}
            place={String(index + 1)}
            keys={keys}
            onChange={(part) => set(index, part)}
          />
          <IconButton
            label={`Remove rule ${String(index + 1)}`}
            onClick={() => onChange(rules.filter((_, place) => place !== index))}
          >
            <Trash2 />
          </IconButton>
        </div>
      ))}
      <ErrorText>{error}</ErrorText>
      {rules.length < rest.MCP_SIGN_IN_MAX_RULES && (
        <div>
          <Button
            size="small"
            onClick={() => onChange([...rules, { claim: 'email', value: '', apiKeyId: '' }])}
          >
            <Plus aria-hidden />
            Add a rule
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface RuleFieldsProps {
  readonly rule: RuleDraft;
  readonly place: string;
  readonly keys: readonly rest.ApiKey[];
  readonly onChange: (part: Partial<RuleDraft>) => void;
}

function RuleFields({ rule, place, keys, onChange }: RuleFieldsProps) {
  const { claim, value, apiKeyId } = rule;
  // A key that was revoked since, or that is not among those shown, stays chosen.
  const known = apiKeyId === '' || keys.some(({ id }) => id === apiKeyId);
  return (
    <>
      <TextInput
        aria-label={`Claim of rule ${place}`}
        placeholder="Claim"
        value={claim}
        onChange={({ target }) => onChange({ claim: target.value })}
        autoComplete="off"
        spellCheck={false}
        className="w-28 shrink-0 font-mono text-sm"
      />
      <TextInput
        aria-label={`Value of rule ${place}`}
        placeholder="Value"
        value={value}
        onChange={({ target }) => onChange({ value: target.value })}
        autoComplete="off"
        spellCheck={false}
        className="min-w-0 flex-1 font-mono text-sm"
      />
      <Select
        aria-label={`API key of rule ${place}`}
        value={apiKeyId}
        onChange={({ target }) => onChange({ apiKeyId: target.value })}
        className="w-40 shrink-0"
      >
        <option value="">Choose a key</option>
        {!known && <option value={apiKeyId}>{apiKeyId}</option>}
        {keys.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </>
  );
}
