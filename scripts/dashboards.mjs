// Writes the Grafana dashboards of deploy/observability/dashboards from the tables below, and copies them and
// the alert rules into the Helm chart, which cannot read files outside of its folder.
// scripts/dashboards.test.ts fails when a file has drifted, or names a metric or label that no service has.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DEPLOY = join(import.meta.dirname, '..', 'deploy');
const CHART = join(DEPLOY, 'helm/tollgate/files/observability');
const FOLDERS = [join(DEPLOY, 'observability/dashboards'), join(CHART, 'dashboards')];

const rate = (metric, by, where = '') =>
  `sum by (${by}) (rate(${metric}${where}[$__rate_interval]))`;
const quantile = (q, metric, by = '') =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket[$__rate_interval])))`;
const top = (metric, by) => `topk(10, sum by (${by}) (rate(${metric}[$__rate_interval])))`;

// Organisations and teams by their names; those without one, and the rest, by their ids. For a moment after a rename two
// catalogs tell different names, of which one is taken.
const named = (expression, labels = 'organisation', id = 'organisation') => {
  const names = `max by (${labels}, name) (topk by (${labels}) (1, tollgate_${id}_info))`;
  return `(${expression}) * on (${labels}) group_left (name) ${names} or label_replace((${expression}) unless on (${labels}) ${names}, "name", "$1", "${id}", "(.*)")`;
};

// [title, unit, [expression, legend]…]
const DASHBOARDS = {
  overview: {
    title: 'Tollgate: on call',
    panels: [
      [
        'Services that answer scrapes',
        'short',
        ['sum by (job) (up{job=~"edge|policy|catalog|runner"})', '{{job}}'],
      ],
      [
        'Requests by status',
        'reqps',
        [rate('tollgate_edge_request_seconds_count', 'status'), '{{status}}'],
      ],
      [
        'Time of a request',
        's',
        [quantile(0.5, 'tollgate_edge_request_seconds'), 'p50'],
        [quantile(0.99, 'tollgate_edge_request_seconds'), 'p99'],
      ],
      [
        'Time of a decision',
        's',
        [quantile(0.5, 'tollgate_edge_decision_seconds'), 'p50'],
        [quantile(0.99, 'tollgate_edge_decision_seconds'), 'p99'],
      ],
      [
        'Refusals and decisions',
        'reqps',
        [rate('tollgate_edge_decision_seconds_count', 'outcome'), '{{outcome}}'],
      ],
      [
        'Waiting for policy',
        'short',
        ['sum by (instance) (tollgate_edge_policy_queue_length)', '{{instance}}'],
      ],
      [
        'Event loop, 99th percentile',
        's',
        ['max by (job, instance) (nodejs_eventloop_lag_p99_seconds)', '{{job}} {{instance}}'],
      ],
      [
        'Age of the oldest unbooked entry',
        's',
        ['max(tollgate_policy_ledger_drain_age_seconds)', 'age'],
      ],
      ['Quarantined entries', 'short', ['max(tollgate_ledger_quarantine_open)', 'open']],
      [
        'Response cache',
        'reqps',
        [rate('tollgate_edge_response_cache_requests_total', 'result'), '{{result}}'],
      ],
    ],
  },
  tenants: {
    title: 'Tollgate: money and tenants',
    panels: [
      [
        'Cost by organisation, dollars an hour',
        'currencyUSD',
        [named(`3600 * ${top('tollgate_tenant_cost_usd_total', 'organisation')}`), '{{name}}'],
      ],
      [
        'Cost by team, dollars an hour',
        'currencyUSD',
        [
          named(
            `3600 * ${top('tollgate_tenant_cost_usd_total', 'organisation, team')}`,
            'organisation, team',
            'team',
          ),
          '{{name}}',
        ],
      ],
      [
        'Cost by model, dollars an hour',
        'currencyUSD',
        [
          `3600 * ${top('tollgate_tenant_cost_usd_total', 'model, provider')}`,
          '{{model}} {{provider}}',
        ],
      ],
      [
        'Requests by organisation',
        'reqps',
        [named(top('tollgate_tenant_requests_total', 'organisation')), '{{name}}'],
      ],
      [
        'Refused and failed by organisation',
        'reqps',
        [
          named(
            `topk(10, ${rate('tollgate_tenant_requests_total', 'organisation, result', '{result=~"refused|failed"}')})`,
          ),
          '{{name}} {{result}}',
        ],
      ],
      ['Tokens by class', 'short', [rate('tollgate_tenant_tokens_total', 'class'), '{{class}}']],
      [
        'Limits with the least left',
        'percentunit',
        [
          'bottomk(20, min by (kind, scope, scope_id, metric, window, mode) (tollgate_limit_remaining_ratio))',
          '{{kind}} {{metric}} {{window}} of {{scope}} {{scope_id}}',
        ],
      ],
      [
        'Passes beyond soft limits',
        'reqps',
        [rate('tollgate_policy_soft_limit_passes_total', 'kind, scope'), '{{kind}} {{scope}}'],
      ],
    ],
  },
  providers: {
    title: 'Tollgate: providers',
    panels: [
      [
        'Calls by outcome',
        'reqps',
        [
          rate('tollgate_edge_upstream_seconds_count', 'provider, outcome'),
          '{{provider}} {{outcome}}',
        ],
      ],
      [
        'Share of failed calls',
        'percentunit',
        [
          `${rate('tollgate_edge_upstream_seconds_count', 'provider', '{outcome!="OK"}')} / ${rate('tollgate_edge_upstream_seconds_count', 'provider')}`,
          '{{provider}}',
        ],
      ],
      [
        'Time of a call, 95th percentile',
        's',
        [quantile(0.95, 'tollgate_edge_upstream_seconds', 'provider'), '{{provider}}'],
      ],
      [
        'Upstreams that rest',
        'short',
        ['max by (state) (tollgate_upstreams_resting)', '{{state}}'],
      ],
      [
        'First output, 95th percentile',
        's',
        [quantile(0.95, 'tollgate_edge_first_token_seconds', 'provider'), '{{provider}}'],
      ],
      [
        'Tokens by class',
        'short',
        [rate('tollgate_edge_tokens_total', 'provider, class'), '{{provider}} {{class}}'],
      ],
      [
        'Cost, dollars an hour',
        'currencyUSD',
        [`3600 * ${rate('tollgate_edge_cost_usd_total', 'provider')}`, '{{provider}}'],
      ],
      [
        'Breakers and cooldowns',
        'short',
        [rate('tollgate_policy_upstream_changes_total', 'state'), '{{state}}'],
      ],
      [
        'Candidates left out',
        'short',
        [rate('tollgate_policy_left_out_total', 'reason'), '{{reason}}'],
      ],
    ],
  },
  ledger: {
    title: 'Tollgate: ledger and policy',
    panels: [
      ['Open holds', 'short', ['sum(tollgate_policy_holds_open)', 'open']],
      [
        'Entries to book',
        'short',
        ['sum by (instance) (tollgate_policy_ledger_lag_entries)', '{{instance}}'],
      ],
      [
        'Booked entries',
        'short',
        [rate('tollgate_policy_ledger_booked_total', 'instance'), '{{instance}}'],
      ],
      [
        'Age of the oldest unbooked entry',
        's',
        ['max by (instance) (tollgate_policy_ledger_drain_age_seconds)', '{{instance}}'],
      ],
      [
        'Abandoned holds',
        'short',
        [rate('tollgate_policy_holds_abandoned_total', 'instance'), '{{instance}}'],
      ],
      [
        'Reopened shards',
        'short',
        [rate('tollgate_policy_shards_reopened_total', 'reason'), '{{reason}}'],
      ],
      [
        'Time of a script in Redis, 99th percentile',
        's',
        [quantile(0.99, 'tollgate_policy_store_seconds', 'script'), '{{script}}'],
      ],
      [
        'Time of an append, 99th percentile',
        's',
        [quantile(0.99, 'tollgate_ledger_append_seconds'), 'p99'],
      ],
      [
        'Settles kept until booked',
        'short',
        ['sum by (instance) (tollgate_edge_settles_unbooked)', '{{instance}}'],
      ],
      [
        'Decided from memory and by Redis',
        'reqps',
        ['sum(rate(tollgate_floats_decided_total[$__rate_interval]))', 'from memory'],
        [rate('tollgate_floats_exact_total', 'reason'), 'by Redis: {{reason}}'],
      ],
      ['Lost floats', 'short', [rate('tollgate_floats_lost_total', 'instance'), '{{instance}}']],
    ],
  },
};

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const [COLUMNS, WIDTH, HEIGHT] = [3, 8, 8];

/** The dashboards by file name. */
export function dashboards() {
  return Object.entries(DASHBOARDS).flatMap(([name, { title, panels }]) => {
    const text = `${JSON.stringify(dashboard(name, title, panels), undefined, 2)}\n`;
    return FOLDERS.map((folder) => ({ file: join(folder, `${name}.json`), text }));
  });
}

function dashboard(name, title, panels) {
  const label = 'Data source';
  const input = { name: 'datasource', label, type: 'datasource', query: 'prometheus' };
  return {
    uid: `tollgate-${name}`,
    title,
    tags: ['tollgate'],
    editable: true,
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [input] },
    panels: panels.map(panel),
  };
}

function panel([title, unit, ...targets], n) {
  return {
    id: n + 1,
    type: 'timeseries',
    title,
    datasource: DATASOURCE,
    gridPos: { x: (n % COLUMNS) * WIDTH, y: Math.floor(n / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: targets.map(([expr, legendFormat], at) => {
      const refId = String.fromCodePoint(65 + at);
      return { refId, datasource: DATASOURCE, expr, legendFormat };
    }),
  };
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(dashboards()));
  else {
    for (const { file, text } of dashboards()) writeFileSync(file, text);
    copyFileSync(join(DEPLOY, 'observability/alerts.yml'), join(CHART, 'alerts.yml'));
  }
}
