import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';

import { secretReference } from '../kinds/fields';
import { titleOf, type Values } from '../kinds/index';
import { normalSpec } from './normal';
import type { Action, Plan, Step } from './plan';
import { topOf } from './plan-object';

/** Plans for people. Secrets are never part of a plan; what refers to them is. */

const SIGNS: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };
const MOST_CHARACTERS = 100;

export function planText(plan: Plan): string {
  const steps = plan.steps.flatMap((step) => [
    `${SIGNS[step.action]} ${titleOf(step.identity)}`,
    ...changeLines(step),
  ]);
  const notes = plan.notes.map((note) => `note: ${note}`);
  return `${[...steps, ...notes, summaryOf(plan)].join('\n')}\n`;
}

function changeLines({ action, fields, sendsSecret, parts }: Step): string[] {
  const changes = [...fields, ...(action === 'update' ? parts : [])].map(
    ({ path, before, after }) => `    ${path}: ${shortText(before)} → ${shortText(after)}`,
  );
  return [...changes, ...(sendsSecret && action === 'update' ? ['    secret: sent again'] : [])];
}

function shortText(value: unknown): string {
  if (value === undefined) return '(none)';
  const text = JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function summaryOf({ steps, unchanged }: Plan): string {
  const count = (action: Action): string =>
    String(steps.filter((step) => step.action === action).length);
  return `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${String(unchanged)} unchanged`;
}

/** The plan as a unified diff of the documents. */
export function diffText(plan: Plan): string {
  return plan.steps.map(stepDiff).join('');
}

function stepDiff(step: Step): string {
  const { document, existing, identity, fields, parts, sendsSecret } = step;
  const title = titleOf(identity);
  const changed = new Set([...fields, ...parts].map(topOf));
  const shown = (spec: Values | undefined, kind = document?.kind ?? existing?.kind): string => {
    if (spec === undefined || kind === undefined) return '';
    const normal = Object.entries(normalSpec(kind, spec)).filter(
      ([field]) => step.action !== 'update' || changed.has(field),
    );
    return normal.length === 0 ? '' : stringify(withoutSecrets(Object.fromEntries(normal)));
  };
  const given = document && givenOnly(document.spec, existing?.spec);
  const patch = createTwoFilesPatch(
    title,
    title,
    shown(existing?.spec),
    shown(given),
    'installed',
    'described',
  );
  const secrets = [
    ...(sendsSecret && step.action === 'update' ? ['secret'] : []),
    ...parts.map(({ path }) => path).filter((path) => path.endsWith('.apiKey')),
  ];
  return `${patch}${secrets.map((path) => `# ${path}: another secret\n`).join('')}`;
}

/** A field that the document does not give stays as it is. */
function givenOnly(spec: Values, current: Values | undefined): Values {
  return { ...current, ...spec };
}

/** The names of variables differ between documents and exports, and say nothing about secrets. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  if (secretReference.safeParse(value).success) return '(secret)';
  return Object.fromEntries(
    Object.entries(value).map(([field, part]) => [field, withoutSecrets(part)]),
  );
}
