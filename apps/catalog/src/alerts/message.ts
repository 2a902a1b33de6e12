import { formatUsd, type AlertDestinationKind, type rest } from '@tollgate/contracts';

import type { Alert } from '../entities/alert.entity';
import { writeDraft } from '../mail';

/** One message of an alert, as each kind of destination gets it. Pure. */

type Stored = Omit<Alert, 'seenAt' | 'seenBy' | 'valueCount'>;

/** The fields that the log and messages share. */
export function alertFieldsOf(row: Stored): rest.AlertMessage['data'] {
  const amount = (of: bigint): number | string => (row.money ? formatUsd(of) : Number(of));
  return {
    id: row.id,
    organisationId: row.organisationId,
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    kind: row.kind,
    subject: {
      type: row.subjectType,
      id: row.subjectType === 'LEDGER' ? null : row.subjectId,
      name: row.subjectName,
    },
    windowStart: row.windowStartsAt.toISOString(),
    windowEnd: row.windowEndsAt.toISOString(),
    threshold: row.threshold,
    value: amount(row.value),
    limit: row.limitAmount === 0n ? null : amount(row.limitAmount),
    title: row.title,
    text: row.text,
    createdAt: row.createdAt.toISOString(),
  };
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** What the test of a destination sends: everything in it is made up. */
export function testMessage(
  id: string,
  organisationId: string | null,
  url: string,
  at: Date,
): rest.AlertMessage {
  const now = at.toISOString();
  return {
    type: 'alert.test',
    timestamp: now,
    data: {
      id,
      organisationId,
      ruleId: NIL,
      ruleName: 'Test',
      kind: 'BUDGET_USED',
      subject: { type: 'BUDGET', id: NIL, name: 'A budget' },
      windowStart: now,
      windowEnd: now,
      threshold: 80,
      value: '80.00',
      limit: '100.00',
      title: 'Test of an alert destination',
      text: 'An administrator has sent this message to see that it arrives. There is no alert.',
      createdAt: now,
    },
    url,
  };
}

export interface WebhookBody {
  readonly body: string;
  readonly contentType: string;
}

export function webhookBody(
  kind: Exclude<AlertDestinationKind, 'EMAIL'>,
  message: rest.AlertMessage,
): WebhookBody {
  const content = kind === 'SLACK' ? { text: slackText(message) } : message;
  return { body: JSON.stringify(content), contentType: 'application/json' };
}

function slackText({ data: { title, text }, url }: rest.AlertMessage): string {
  return `*${slackEscaped(title)}*\n${slackEscaped(text)}\n<${url}|Open in Tollgate>`;
}

/** @see https://docs.slack.dev/messaging/formatting-message-text#escaping */
function slackEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function letterOf({ data, url }: rest.AlertMessage) {
  return writeDraft({
    subject: data.title,
    before: data.text,
    button: 'Open in Tollgate',
    link: url,
    after: `The alert rule "${data.ruleName}" sends this mail. An administrator can change the rule on the page "Alerts" of the console.`,
  });
}
