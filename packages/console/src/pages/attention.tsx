import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api.ts';
import { text } from '../strings.ts';
import { Card } from '../ui/card.tsx';

type Item = Schemas['AttentionItem'];

/** The page of the console on which an operator looks further, or acts. */
const places: Readonly<
  Record<Item['code'], (item: Item) => { to: string; search?: Record<string, string> }>
> = {
  ledger_breach: () => ({ to: '/audit' }),
  ledger_not_audited: () => ({ to: '/audit' }),
  redis_unavailable: () => ({ to: '/queues' }),
  queue_paused: () => ({ to: '/queues' }),
  queue_unusable: () => ({ to: '/queues' }),
  queue_stuck: () => ({ to: '/queues' }),
  circuit_open: ({ subject }) => ({ to: '/executions', search: { provider: subject ?? '' } }),
  executions_waiting: () => ({ to: '/executions', search: { status: 'PENDING' } }),
  executions_overdue: () => ({ to: '/queues' }),
  runs_abandoned: () => ({ to: '/executions', search: { status: 'PROCESSING' } }),
  callbacks_unread: () => ({ to: '/queues' }),
  outcomes_unsettled: () => ({ to: '/queues' }),
  events_not_fanned_out: () => ({ to: '/queues' }),
  provider_busy: () => ({ to: '/executions', search: { status: 'PROCESSING' } }),
  endpoints_deactivated: () => ({ to: '/webhooks', search: { state: 'deactivated' } }),
  endpoints_failing: () => ({ to: '/webhooks', search: { state: 'failing' } }),
  costs_in_review: () => ({ to: '/reviews', search: { state: 'open' } }),
};

/** What needs a person, each with the page where it is solved and its runbook. */
export function Attention({ items }: { items: Item[] }) {
  if (items.length === 0) {
    return (
      <p className="flex items-center gap-2 rounded-lg border border-line bg-card px-4 py-3 text-good">
        <span aria-hidden="true">✓</span>
        {text.attention.none}
      </p>
    );
  }
  return (
    <Card title={text.attention.title}>
      <ul className="-my-2 divide-y divide-line">
        {items.map((item) => {
          const { to, search = {} } = places[item.code](item);
          return (
            <li
              key={`${item.code} ${item.subject}`}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5"
            >
              <p className="flex min-w-0 items-baseline gap-2">
                <span
                  aria-hidden="true"
                  className={`size-2 shrink-0 rounded-full ${item.severity === 'page' ? 'bg-bad' : 'bg-busy'}`}
                />
                <span>
                  <span className="sr-only">{`${text.attention.severities[item.severity]}: `}</span>
                  {item.message}
                </span>
              </p>
              <p className="flex gap-4 whitespace-nowrap">
                <Link to={to} search={search} className="underline">
                  {text.attention.look}
                </Link>
                <a
                  href={`/docs/operate/alerts/${item.runbook}`}
                  target="_blank"
                  rel="noreferrer"
                  className="underline"
                >
                  {text.attention.runbook}
                </a>
              </p>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
