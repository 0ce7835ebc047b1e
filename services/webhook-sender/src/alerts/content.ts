import type { Alert, AlertChanges } from '@holdfast/db/alerts';
import { attentionMessage, attentionRules, type Severity } from '@holdfast/domain/attention';

/** An alert as receivers read it. */
export type AlertRecord = {
  id: string;
  code: Alert['code'];
  severity: Severity;
  subject: string | null;
  count: number | null;
  age_s: number | null;
  found_at: string;
  message: string;
  runbook_url: string | null;
};

export type Content = AlertChanges<AlertRecord>;

/** `publicUrl`: where the documentation is served; runbooks have no URL without it. */
export function contentOf({ raised, resolved }: AlertChanges, publicUrl: string | undefined): Content {
  const record = ({ id, code, subject, count, ageS, foundAt }: Alert): AlertRecord => {
    const { severity, runbook } = attentionRules[code];
    return {
      id,
      code,
      severity,
      subject: subject || null,
      count,
      age_s: ageS,
      found_at: new Date(foundAt).toISOString(),
      message: attentionMessage({ code, subject, count, ageS }),
      runbook_url: publicUrl ? `${publicUrl.replace(/\/+$/, '')}/docs/operate/alerts/${runbook}` : null,
    };
  };
  return { raised: raised.map(record), resolved: resolved.map(record) };
}

export type Message = { id: string; testId: string | null; content: Content; createdAt: Date };

const testText = 'This is a test alert from Holdfast.';

/** The body of a webhook, the same bytes on every attempt: an event of the operator, of no organization. */
export function webhookBody({ id, testId, content, createdAt }: Message): string {
  const type = testId === null ? 'alerts.changed' : 'alerts.test';
  const data = testId === null ? content : { ...content, message: testText };
  return JSON.stringify({ id, type, timestamp: createdAt.toISOString(), version: '1.0', data });
}

export function mailOf({ id, testId, content }: Omit<Message, 'createdAt'>): {
  id: string;
  subject: string;
  text: string;
} {
  if (testId !== null) return { id, subject: '[Holdfast] Test alert', text: `${testText}\n` };
  const { raised, resolved } = content;
  const [first] = [...raised, ...resolved];
  const more = raised.length + resolved.length - 1;
  const state = raised.length === 0 ? 'Resolved: ' : raised.some(isUrgent) ? 'Urgent: ' : '';
  const subject = `[Holdfast] ${state}${first?.message ?? ''}${more > 0 ? ` (and ${more} more)` : ''}`;
  const lines = [
    ...section('Needs attention', raised),
    ...section('Resolved', resolved),
    'One mail when it begins, one when it has ended.',
  ];
  return { id, subject, text: `${lines.join('\n')}\n` };
}

const isUrgent = ({ severity }: AlertRecord) => severity === 'page';

function section(title: string, alerts: AlertRecord[]): string[] {
  if (alerts.length === 0) return [];
  const items = alerts.flatMap((alert) => [
    `- ${isUrgent(alert) ? 'Urgent: ' : ''}${alert.message}`,
    `  since ${alert.found_at}${alert.runbook_url === null ? '' : `, what to do: ${alert.runbook_url}`}`,
  ]);
  return [title, '', ...items, ''];
}
