import type { ReactNode } from 'react';
import type { Schemas } from '../../api.ts';
import { text } from '../../strings/shared.ts';
import { Confirmed } from '../../ui/dialog.tsx';
import { Code, Status, Time } from '../../ui/values.tsx';

/** Deliveries of a failing endpoint stay due until a probe succeeds. */
export const nextOf = (at: string | null) =>
  at !== null && Date.parse(at) <= Date.now() ? text.webhooks.due : text.webhooks.nextAttempt;

/** What the receiver of a test event returned, or why it got none. */
export function TestResult({ of }: { of: Schemas['TestCallResult'] }) {
  return (
    <p role="status" className={of.success ? 'text-good' : 'text-bad'}>
      {of.success
        ? text.webhooks.tested(of.status_code, of.response_time_ms)
        : text.webhooks.testFailed(of.error ?? String(of.status_code))}
    </p>
  );
}

/** One delivery: what was sent, every attempt, and what the receiver said. `disabledBecause`: why it may not be sent again. */
export function DeliveryView(props: {
  delivery: Schemas['Delivery'];
  name?: ReactNode;
  body?: string | null;
  disabledBecause?: string | null;
  redeliver: () => Promise<unknown>;
}) {
  const { delivery, name = delivery.event_type, body = null, disabledBecause = null, redeliver } = props;
  const lastError = delivery.attempts.at(-1)?.error;
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0 grow basis-56">
          <p className="flex flex-wrap items-center gap-x-3">
            <span className="font-medium">{name}</span>
            <Status of={delivery.status} />
          </p>
          <p title={delivery.url} className="line-clamp-2 break-all text-soft text-xs">
            {delivery.url}
          </p>
          {lastError && <p className="break-words text-bad text-xs">{lastError}</p>}
          {delivery.next_attempt_at && (
            <p className="text-soft text-xs">
              {`${nextOf(delivery.next_attempt_at)} `}
              <Time at={delivery.next_attempt_at} />
            </p>
          )}
        </div>
        <Confirmed
          label={text.execution.redeliver}
          question={text.execution.redeliverQuestion(delivery.event_type, delivery.url)}
          disabledBecause={disabledBecause}
          act={redeliver}
        />
      </div>
      <details className="mt-2">
        <summary className="cursor-pointer text-soft text-xs">
          {text.webhooks.attempts(delivery.attempts.length)}
        </summary>
        <DeliveryAttempts of={delivery.attempts} body={body} />
      </details>
    </li>
  );
}

type DeliveryAttempt = Schemas['Delivery']['attempts'][number];

function DeliveryAttempts({ of: attempts, body }: { of: DeliveryAttempt[]; body: string | null }) {
  return (
    <div className="mt-2 space-y-3">
      {body !== null && (
        <div>
          <p className="mb-1 text-soft text-xs">{text.execution.request}</p>
          <Code of={body} label={text.execution.request} />
        </div>
      )}
      {attempts.map((attempt) => (
        <DeliveryAttemptDetails key={attempt.number} of={attempt} />
      ))}
    </div>
  );
}

function DeliveryAttemptDetails({ of }: { of: DeliveryAttempt }) {
  return (
    <div>
      <p className="mb-1 text-xs">
        <span className="font-medium">{`#${of.number} ${of.status_code ?? of.error_stage ?? ''} `}</span>
        <span className="text-soft">
          <Time at={of.started_at} /> {of.duration_ms === null ? '' : `${of.duration_ms} ms`}
        </span>
        {of.error && <span className="block text-bad">{of.error}</span>}
      </p>
      {of.response ? (
        <Code of={of.response} label={text.execution.response} />
      ) : (
        <p className="text-soft text-xs">{text.execution.noResponse}</p>
      )}
    </div>
  );
}
