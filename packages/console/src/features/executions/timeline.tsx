import type { ReactNode } from 'react';
import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { duration } from '../../ui/format.ts';
import { Code, Id, Time } from '../../ui/values.tsx';

type Whole = Schemas['ExecutionWithAttempts'];
type Post = Schemas['DeliveryAttempt'];
type Moment = { at: string | null; what: string; detail?: ReactNode; isBad?: boolean };

function momentsOf(of: Whole): Moment[] {
  const attempts = of.attempts.flatMap((attempt) => {
    const name = `Attempt ${attempt.number} at ${attempt.provider}`;
    const { ok = null, code = null } = attempt.outcome ?? {};
    const isBad = ok === false;
    const outcome = ok === null ? attempt.state : ok ? 'succeeded' : 'failed';
    const detail = (
      <>
        {attempt.target && <span className="block">{attempt.target}</span>}
        {attempt.external_id && <Id of={attempt.external_id} />}
        {attempt.outcome?.message && <span className="block">{attempt.outcome.message}</span>}
        {attempt.estimated.length > 0 && (
          <span className="block">{text.execution.estimated(attempt.estimated.join(', '))}</span>
        )}
        {attempt.provider_cost !== null && (
          <span className="block">{text.execution.providerCost(attempt.provider_cost)}</span>
        )}
        {attempt.raw_error && <Code of={attempt.raw_error} label={text.execution.rawError} />}
      </>
    );
    const started: Moment = { at: attempt.created_at, what: `${name} started` };
    const ended: Moment = {
      at: attempt.finished_at,
      what: `${name} ${outcome} after ${duration(attempt.duration_ms)}${code ? `: ${code}` : ''}`,
      detail,
      isBad,
    };
    return attempt.finished_at ? [started, ended] : [{ ...started, detail }];
  });
  const deliveries = of.deliveries.flatMap(({ attempts: posts, url, event_type: type }) =>
    posts.map((post) => ({
      at: post.started_at,
      what: sentText(type, post),
      detail: <span className="break-all">{url}</span>,
      isBad: post.error !== null,
    })),
  );
  const moments: Moment[] = [
    { at: of.created_at, what: 'Accepted, hold placed' },
    ...attempts,
    { at: of.completed_at, what: of.status, isBad: of.status === 'FAILED' || of.status === 'EXPIRED' },
    ...deliveries,
    { at: of.erased_at, what: 'Erased' },
  ];
  return moments
    .filter(({ at }) => at !== null)
    .sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''));
}

function sentText(type: string, { status_code: status, error, duration_ms: ms }: Post): string {
  if (ms === null) return `${type} sent`;
  return error === null
    ? `${type} delivered: ${status} after ${ms} ms`
    : `${type} not delivered: ${error}, after ${ms} ms`;
}

/** What happened to an execution, from its create to its last delivery attempt. */
export function Timeline({ of }: { of: Whole }) {
  const start = Date.parse(of.created_at);
  return (
    <ol className="relative space-y-4 border-line border-l pl-5">
      {momentsOf(of).map((moment, index) => (
        <li key={index} className="relative">
          <span
            aria-hidden="true"
            className={`absolute top-1.5 -left-[25px] size-2.5 rounded-full ${moment.isBad ? 'bg-bad' : 'bg-accent'}`}
          />
          <div className="flex items-baseline justify-between gap-x-3">
            <span className={`min-w-0 break-words font-medium ${moment.isBad ? 'text-bad' : ''}`}>
              {moment.what}
            </span>
            <span className="whitespace-nowrap text-soft text-xs tabular-nums" title={moment.at ?? ''}>
              {`+${duration(Math.max(0, Date.parse(moment.at ?? '') - start))}`}
            </span>
          </div>
          <div className="text-soft text-xs">
            <Time at={moment.at} />
            <div className="mt-1 space-y-1">{moment.detail}</div>
          </div>
        </li>
      ))}
      {of.completed_at === null && <li className="text-busy">{`${of.status} …`}</li>}
    </ol>
  );
}
