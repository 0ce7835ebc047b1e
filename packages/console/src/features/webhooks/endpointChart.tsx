import type { components } from '@holdfast/sdk/generated/api.ts';
import { useQuery } from '@tanstack/react-query';
import { text } from '../../strings/shared.ts';
import { Card } from '../../ui/card.tsx';
import { Bars } from '../../ui/charts.tsx';
import { liveSumMs } from '../../ui/intervals.ts';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';

type Activity = components['schemas']['WebhookEndpointActivity'];

/** Success and latency of an endpoint by hour, from where the console and the portal each read it. */
export function EndpointChart({ id, readActivity }: { id: string; readActivity: () => Promise<Activity> }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook endpoint', id, 'activity'],
    queryFn: readActivity,
    refetchInterval: liveSumMs,
  });
  const hours = data?.hours ?? [];
  const times = hours.map(({ at }) => at);
  const isEmpty = hours.every(({ succeeded, failed }) => succeeded + failed === 0);
  return (
    <Card title={text.webhooks.lastDay}>
      {!data && !error && <Skeleton />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && isEmpty && <Empty title={text.webhooks.noAttempt} />}
      {data && !isEmpty && (
        <div className="grid gap-6 md:grid-cols-2">
          <Bars
            label={text.webhooks.perHour}
            times={times}
            series={[
              { name: text.webhooks.succeeded, look: 'good', values: hours.map((hour) => hour.succeeded) },
              { name: text.webhooks.failedAttempts, look: 'bad', values: hours.map((hour) => hour.failed) },
            ]}
          />
          <Bars
            label={text.webhooks.p95}
            unit="ms"
            times={times}
            series={[
              { name: text.webhooks.p95, look: 'busy', values: hours.map((hour) => hour.p95_ms ?? 0) },
            ]}
          />
        </div>
      )}
      {data?.counted_since && (
        <p className="mt-3 text-soft text-xs">
          {`${text.webhooks.countedSince} `}
          <Time at={data.counted_since} />
        </p>
      )}
    </Card>
  );
}
