'use client';

import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';

import { Button, IconButton } from '../../../design/button';
import { ErrorText } from '../../../design/error-text';
import { SelectField, TextAreaField, TextField } from '../../../design/text-field';
import {
  emptyDraft,
  isDraftObject,
  type Draft,
  type DraftObject,
  type Problems,
} from './argument-draft';
import type { Field, NamedField } from './schema-fields';

interface SchemaFormProps {
  readonly field: Field;
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (draft: Draft) => void;
}

/** The arguments of a tool: a control for each property of its schema, JSON for the others. */
export function SchemaForm({ field, draft, problems, onChange }: SchemaFormProps) {
  if (field.kind === 'object' && field.fields.length === 0) {
    return <p className="text-ink-soft">This tool takes no arguments.</p>;
  }
  return (
    <FieldControl
      label="Arguments"
      path=""
      optional={false}
      bare
      {...{ field, draft, problems, onChange }}
    />
  );
}

interface FieldControlProps extends SchemaFormProps {
  readonly label: string;
  readonly path: string;
  readonly optional: boolean;
  /** Without a frame: the outermost object. */
  readonly bare?: boolean;
}

function FieldControl(props: FieldControlProps) {
  const { field, label, draft, optional, path, problems, onChange } = props;
  const common = {
    label,
    hint: field.hint,
    error: problems[path],
    optional,
    value: typeof draft === 'string' ? draft : '',
    onChange,
  };
  switch (field.kind) {
    case 'text':
      return field.long ? (
        <TextAreaField {...common} rows={2} spellCheck={false} />
      ) : (
        <TextField {...common} spellCheck={false} />
      );
    case 'number':
      return <TextField {...common} inputMode={field.whole ? 'numeric' : 'decimal'} />;
    case 'json':
      return (
        <TextAreaField
          {...common}
          hint={`${field.hint === undefined ? '' : `${field.hint} `}As JSON.`}
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
        />
      );
    case 'flag':
      return <SelectField {...common} choices={FLAG} />;
    case 'choice':
      return <SelectField {...common} choices={choicesOf(field.options)} />;
    case 'object':
      return <ObjectControl {...props} fields={field.fields} />;
    case 'list':
      return <ListControl {...props} item={field.item} />;
  }
}

const NOT_CHOSEN = { value: '', label: '—' };
const FLAG = [NOT_CHOSEN, { value: 'true', label: 'true' }, { value: 'false', label: 'false' }];

function choicesOf(options: readonly unknown[]): { value: string; label: string }[] {
  return [
    NOT_CHOSEN,
    ...options.map((option, at) => ({
      value: String(at),
      label: typeof option === 'string' ? option : JSON.stringify(option),
    })),
  ];
}

const NONE: DraftObject = {};

interface ObjectControlProps extends FieldControlProps {
  readonly fields: readonly NamedField[];
}

function ObjectControl(props: ObjectControlProps) {
  const { fields, label, field, draft, optional, path, problems, bare = false, onChange } = props;
  const own = isDraftObject(draft) ? draft : NONE;
  const controls = fields.map(({ name, title, required, field: inner }) => (
    <FieldControl
      key={name}
      label={title}
      path={path === '' ? name : `${path}.${name}`}
      optional={!required}
      field={inner}
      draft={own[name] ?? ''}
      problems={problems}
      onChange={(next) => onChange({ ...own, [name]: next })}
    />
  ));
  if (bare) return <div className="flex flex-col gap-4">{controls}</div>;
  return (
    <Group label={label} hint={field.hint} optional={optional} error={problems[path]}>
      {controls}
    </Group>
  );
}

/** The most items that the form adds; longer lists are typed as JSON. */
const MAX_ITEMS = 100;

interface ListControlProps extends FieldControlProps {
  readonly item: Field;
}

function ListControl(props: ListControlProps) {
  const { item, label, field, draft, optional, path, problems, onChange } = props;
  const items: readonly Draft[] = Array.isArray(draft) ? draft : [];
  return (
    <Group label={label} hint={field.hint} optional={optional} error={problems[path]}>
      {items.map((one, index) => (
        // Items have no id but their position.
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <FieldControl
              label={`${label} ${String(index + 1)}`}
              path={`${path}[${String(index)}]`}
              optional={false}
              field={item}
              draft={one}
              problems={problems}
              onChange={(next) => onChange(items.with(index, next))}
            />
          </div>
          <IconButton
            label={`Remove ${label} ${String(index + 1)}`}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            <Trash2 />
          </IconButton>
        </div>
      ))}
      {items.length < MAX_ITEMS && (
        <div>
          <Button size="small" onClick={() => onChange([...items, emptyDraft(item)])}>
            <Plus aria-hidden />
            Add an item to {label}
          </Button>
        </div>
      )}
    </Group>
  );
}

interface GroupProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly optional: boolean;
  readonly error: string | undefined;
  readonly children: ReactNode;
}

function Group({ label, hint, optional, error, children }: GroupProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border px-3 pt-1 pb-3">
      <legend className="px-1 text-sm font-medium">
        {label}
        {optional && <span className="font-normal text-ink-faint"> (optional)</span>}
      </legend>
      {hint !== undefined && <p className="text-sm text-ink-faint">{hint}</p>}
      <ErrorText>{error}</ErrorText>
      {children}
    </fieldset>
  );
}
