import type { components } from '@holdfast/sdk/generated/api.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { text } from '../../strings/shared.ts';
import { Card } from '../../ui/card.tsx';
import { liveMs } from '../../ui/intervals.ts';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Code, Time } from '../../ui/values.tsx';

type Backlog = components['schemas']['WebhookEndpointBacklog'];
type LastDeliveryAttempt = Backlog['last_attempts'][number];

type Endpoint = Pick<components['schemas']['WebhookEndpoint'], 'id' | 'is_active' | 'failing_since'>;

export const isInTrouble = (of: Endpoint) => !of.is_active || of.failing_since !== null;

/** Why an endpoint receives nothing: since when, how much waits, and what its receiver responded. `turnOn` is a button. */
export function EndpointBacklog(props: {
  of: Endpoint;
  readBacklog: () => Promise<Backlog>;
  turnOn: ReactNode;
}) {
  const { of, readBacklog, turnOn } = props;
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook endpoint', of.id, 'backlog'],
    queryFn: readBacklog,
    enabled: isInTrouble(of),
    refetchInterval: liveMs,
  });
  if (!isInTrouble(of)) return null;
  return (
    <div className="mb-4">
      <Card
        title={of.is_active ? text.webhooks.isFailing : text.webhooks.isOff}
        aside={!of.is_active && turnOn}
      >
        {!data && !error && <Skeleton rows={3} />}
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {data && (
          <>
            <Summary of={of} backlog={data} />
            <h3 className="mt-4 mb-2 font-medium">{text.webhooks.lastResponses}</h3>
            {data.last_attempts.length === 0 && <p className="text-soft">{text.webhooks.noLastResponse}</p>}
            <ul className="space-y-3">
              {data.last_attempts.map((attempt) => (
                <Response key={attempt.delivery_id} of={attempt} />
              ))}
            </ul>
          </>
        )}
      </Card>
    </div>
  );
}

function Summary({ of, backlog }: { of: Endpoint; backlog: Backlog }) {
  const { waiting, has_more_waiting: areMore, deactivated_at: offSince } = backlog;
  const since = of.is_active ? of.failing_since : offSince;
  return (
    <p>
      {since && (
        <>
          {of.is_active ? text.webhooks.failsSince : text.webhooks.offSince} <Time at={since} />
          {'. '}
        </>
      )}
      {text.webhooks.waiting(waiting, areMore)}
      {!of.is_active && ` ${text.webhooks.untilOn}`}
    </p>
  );
}

function Response({ of }: { of: LastDeliveryAttempt }) {
  return (
    <li>
      <p className="mb-1">
        <span className={`font-medium ${of.error ? 'text-bad' : 'text-good'}`}>
          {of.status_code ?? of.error_stage ?? of.error}
        </span>{' '}
        <span className="text-soft">
          {`${of.event_type} · `}
          <Time at={of.started_at} />
        </span>
        {of.error && <span className="block break-words text-bad text-xs">{of.error}</span>}
      </p>
      {of.response ? (
        <Code of={of.response} label={text.execution.response} />
      ) : (
        <p className="text-soft text-xs">{text.execution.noResponse}</p>
      )}
    </li>
  );
}
