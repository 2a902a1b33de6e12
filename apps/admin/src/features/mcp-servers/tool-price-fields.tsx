'use client';

import { rest } from '@tollgate/contracts';
import { Plus, Trash2 } from 'lucide-react';

import type { ApiError } from '../../api/rest-client';
import { Button, IconButton } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { TextInput } from '../../design/field';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import type { McpDraft, ToolPriceDraft } from './mcp-draft';

interface PriceFieldsProps {
  readonly draft: McpDraft;
  readonly error: ApiError | undefined;
  readonly onChange: (part: Partial<McpDraft>) => void;
}

/** What a call costs: for all tools, by tool, and when the server fails. */
export function PriceFields(props: PriceFieldsProps) {
  const { draft, error, onChange } = props;
  const field = fieldsOf(props);
  return (
    <>
      <TextField
        label="Price per call, in US dollars"
        hint="For each tool call, prompt and resource. Lists and handshakes are free."
        {...field('callPriceUsd')}
        inputMode="decimal"
      />
      <ToolPrices
        rows={draft.toolPrices}
        error={fieldError(error, 'toolPricesUsd')}
        onChange={(toolPrices) => onChange({ toolPrices })}
      />
      <Switch
        label="Charge failed calls"
        hint="Off: a call costs nothing when the server does not answer it. A tool that reports an error has answered."
        checked={draft.chargeFailures}
        onChange={(chargeFailures) => onChange({ chargeFailures })}
      />
    </>
  );
}

interface ToolPricesProps {
  readonly rows: readonly ToolPriceDraft[];
  readonly error: string | undefined;
  readonly onChange: (rows: readonly ToolPriceDraft[]) => void;
}

function ToolPrices({ rows, error, onChange }: ToolPricesProps) {
  const set = (index: number, part: Partial<ToolPriceDraft>): void =>
    onChange(rows.map((row, place) => (place === index ? { ...row, ...part } : row)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">
        Prices of tools <span className="font-normal text-ink-faint">(optional)</span>
      </legend>
      {rows.map((row, index) => (
        // Rows have no id but their position.
        <div key={index} className="flex items-center gap-2">
          <TextInput
            aria-label={`Tool ${String(index + 1)}`}
            placeholder="Tool"
            value={row.tool}
            onChange={({ target }) => set(index, { tool: target.value })}
            autoComplete="off"
            spellCheck={false}
            maxLength={rest.MCP_NAME_MAX}
            className="min-w-0 flex-1 font-mono text-sm"
          />
          <div className="w-32 shrink-0">
            <TextInput
              aria-label={`Price of tool ${String(index + 1)}, in US dollars`}
              placeholder="0.01"
              value={row.usd}
              onChange={({ target }) => set(index, { usd: target.value })}
              autoComplete="off"
              inputMode="decimal"
            />
          </div>
          <IconButton
            label={`Remove the price of tool ${String(index + 1)}`}
            onClick={() => onChange(rows.filter((_, place) => place !== index))}
          >
            <Trash2 />
          </IconButton>
        </div>
      ))}
      <ErrorText>{error}</ErrorText>
      {rows.length < rest.MCP_MAX_TOOLS && (
        <div>
          <Button size="small" onClick={() => onChange([...rows, { tool: '', usd: '' }])}>
            <Plus aria-hidden />
            Add a price for a tool
          </Button>
        </div>
      )}
    </fieldset>
  );
}
