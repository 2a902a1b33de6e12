import type { Check, Revision } from './suite';

// The checks that are known to fail against the simulator itself, each with its reason. Everything else
// has to pass, and what is listed has to fail: a list that is out of date is a failure too.

interface Expected {
  revision: Revision;
  scenario: string;
  ids: readonly string[];
  reason: string;
}

/** How many scenarios each revision requires, so that one that did not run is noticed. */
export const SCENARIOS: Readonly<Record<Revision, number>> = { '2025-11-25': 33, '2026-07-28': 49 };

const TASKS =
  'the extension io.modelcontextprotocol/tasks is not part of the revision, and the SDK has no server side of it';

const tasks = (scenario: string, ...ids: string[]): Expected => ({
  revision: '2026-07-28',
  scenario: `tasks-${scenario}`,
  ids,
  reason: TASKS,
});

export const EXPECTED: readonly Expected[] = [
  tasks(
    'capability-negotiation',
    'tasks-extension-advertised',
    'sep-2663-tasks-methods-non-declaring',
    'sep-2663-server-rejects-undeclared-client',
    'tasks-per-request-meta-opt-in',
  ),
  tasks(
    'dispatch-and-envelope',
    'tasks-server-directed-creation-no-hint',
    'sep-2663-legacy-task-param-ignored',
    'tasks-immediate-result-shortcut',
    'tasks-result-type-complete-on-non-task-responses',
    'sep-2663-durable-create-strong-consistency',
    'sep-2663-tasks-get-invalid-task-id-32602',
  ),
  tasks(
    'lifecycle',
    'tasks-sync-tool-call',
    'sep-2663-result-type-task-on-create',
    'sep-2663-tasks-get-status-working',
    'sep-2663-tasks-get-status-completed',
    'sep-2663-tool-error-uses-completed-status',
    'sep-2663-tasks-get-status-failed',
    'sep-2663-cancel-ack-empty-result',
    'tasks-cancel-terminal-idempotent-ack',
  ),
  tasks('mrtr-composition', 'sep-2663-mrtr-synchronous-before-task-creation'),
  tasks(
    'mrtr-input',
    'sep-2663-tasks-get-status-input-required',
    'tasks-mrtr-tasks-update-resumes',
    'tasks-mrtr-partial-fulfillment',
  ),
  tasks(
    'request-headers',
    'tasks-headers-tolerate-mcp-method-on-tools-call',
    'sep-2663-routing-headers-accepted-on-tasks-get',
    'sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get',
  ),
  tasks('request-state-removal', 'tasks-request-state-removal-setup'),
  tasks('required-task-error', 'sep-2663-server-returns-missing-capability-when-required'),
  tasks(
    'wire-fields',
    'tasks-wire-field-renames',
    'tasks-no-early-ttl-expiry',
    'tasks-no-related-task-meta-on-inlined-result',
  ),
];

const keyOf = ({ id, revision, scenario }: Pick<Check, 'id' | 'revision' | 'scenario'>): string =>
  `${revision} ${scenario} ${id}`;

/** What differs from the list, a line each. */
export function surprises(revision: Revision, checks: readonly Check[]): string[] {
  const known = new Map(
    EXPECTED.filter((one) => one.revision === revision).flatMap(({ ids, scenario }) =>
      ids.map((id) => [keyOf({ revision, scenario, id }), true] as const),
    ),
  );
  const failed = checks.filter(({ passed }) => !passed);
  const seen = new Set(failed.map(keyOf));
  const unexpected = failed.filter((check) => !known.has(keyOf(check)));
  const stale = [...known.keys()].filter((key) => !seen.has(key));
  const scenarios = new Set(checks.map(({ scenario }) => scenario)).size;
  return [
    ...unexpected.map((check) => `fails: ${keyOf(check)}: ${check.message}`),
    ...stale.map((key) => `does not fail any more: ${key}`),
    ...(scenarios === SCENARIOS[revision]
      ? []
      : [
          `${revision}: ${String(scenarios)} scenarios ran instead of ${String(SCENARIOS[revision])}`,
        ]),
  ];
}

/** The checks that one URL passes and the other does not, a line each. */
export function differences(direct: readonly Check[], through: readonly Check[]): string[] {
  const counts = new Map<string, number>();
  const add = (check: Check, amount: number): void => {
    const key = `${keyOf(check)} ${check.passed ? 'passes' : 'fails'}`;
    counts.set(key, (counts.get(key) ?? 0) + amount);
  };
  for (const check of direct) add(check, -1);
  for (const check of through) add(check, 1);
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([key, count]) => `${key} ${count > 0 ? 'only through the second URL' : 'only direct'}`);
}
