'use client';

import { Columns2, X } from 'lucide-react';

import { Button, IconButton } from '../../design/button';
import { TextAreaField, TextField } from '../../design/text-field';
import { ModelChoice } from './model-choice';
import type { Problems, Settings } from './settings';
import { EXAMPLE_TOOLS } from './tools';

interface SettingsFormProps {
  readonly settings: Settings;
  readonly problems: Problems;
  readonly allowed: readonly string[] | undefined;
  readonly onChange: (settings: Settings) => void;
}

export function SettingsForm({ settings, problems, allowed, onChange }: SettingsFormProps) {
  const set = (changes: Partial<Settings>): void => onChange({ ...settings, ...changes });
  return (
    <div className="flex flex-col gap-4">
      <Models
        models={settings.models}
        problem={problems.models}
        allowed={allowed}
        onChange={(models) => set({ models })}
      />
      <TextAreaField
        label="System prompt"
        optional
        value={settings.system}
        onChange={(value) => set({ system: value })}
        rows={5}
        placeholder="What the model should know and how it should answer"
      />
      <div className="grid grid-cols-3 gap-3 lg:grid-cols-2">
        <Amount
          label="Temperature"
          value={settings.temperature}
          problem={problems.temperature}
          onChange={(temperature) => set({ temperature })}
        />
        <Amount
          label="Top p"
          value={settings.topP}
          problem={problems.topP}
          onChange={(topP) => set({ topP })}
        />
        <Amount
          label="Max tokens"
          value={settings.maxTokens}
          problem={problems.maxTokens}
          onChange={(maxTokens) => set({ maxTokens })}
        />
      </div>
      <ToolsField
        value={settings.tools}
        problem={problems.tools}
        onChange={(tools) => set({ tools })}
      />
      <p className="text-sm text-ink-faint">
        Requests use a temporary key of yours that expires after 15 minutes. They count towards your
        limits. The address of this page has the models and numbers above, for a reload or a link;
        the system prompt, tools and messages are never in it.
      </p>
    </div>
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function Amount({ label, value, problem, onChange }: AmountProps) {
  return (
    <TextField
      label={label}
      error={problem}
      value={value}
      onChange={onChange}
      inputMode="decimal"
      placeholder="default"
    />
  );
}

interface ModelsProps {
  readonly models: Settings['models'];
  readonly problem: string | undefined;
  readonly allowed: readonly string[] | undefined;
  readonly onChange: (models: Settings['models']) => void;
}

/** Selects one model, or two to compare. */
function Models({ models, problem, allowed, onChange }: ModelsProps) {
  const [first, second] = models;
  const two = models.length > 1;
  const problemOf = (model: string | undefined): string | undefined =>
    model === undefined ? problem : undefined;
  return (
    <>
      <ModelChoice
        label="Model"
        value={first}
        problem={problemOf(first)}
        allowed={allowed}
        onChange={(model) => onChange(models.with(0, model))}
      />
      {two ? (
        <div className="flex items-end gap-1">
          <div className="min-w-0 flex-1">
            <ModelChoice
              label="Second model"
              value={second}
              problem={problemOf(second)}
              allowed={allowed}
              onChange={(model) => onChange(models.with(1, model))}
            />
          </div>
          <IconButton label="Stop comparing" onClick={() => onChange([first])}>
            <X />
          </IconButton>
        </div>
      ) : (
        <Button onClick={() => onChange([first, undefined])}>
          <Columns2 aria-hidden />
          Compare with another model
        </Button>
      )}
    </>
  );
}

interface ToolsFieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function ToolsField({ value, problem, onChange }: ToolsFieldProps) {
  return (
    <TextAreaField
      label="Tools"
      optional
      error={problem}
      hint={
        value === '' ? (
          <button
            type="button"
            className="text-accent underline"
            onClick={() => onChange(EXAMPLE_TOOLS)}
          >
            Insert an example
          </button>
        ) : (
          'Tool calls are shown, not run.'
        )
      }
      value={value}
      onChange={onChange}
      rows={value === '' ? 2 : 8}
      spellCheck={false}
      placeholder="JSON in OpenAI’s chat format"
      className="font-mono text-sm"
    />
  );
}
