import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { text } from '../../strings.ts';
import { add } from '../../ui/amounts.ts';
import { linkLook } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { duration } from '../../ui/format.ts';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Code, Facts, Money, Status } from '../../ui/values.tsx';
import { billedText } from '../money/billed.ts';
import { useExecution, useLive } from './live.ts';
import { Output } from './Output.tsx';

/** An execution of the playground, live: what it does, what it returns, what it costs. */
export function Run({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useExecution(id);
  const { progress, lines, stream } = useLive(data);
  if (isPending) return <Skeleton rows={6} />;
  if (!data) return <Problem error={error} onRetry={() => void refetch()} />;
  const log = data.logs ?? (lines.length > 0 ? lines.join('\n') : null);
  const length =
    data.completed_at === null ? null : Date.parse(data.completed_at) - Date.parse(data.created_at);
  const costs = data.attempts.flatMap(({ provider_cost: cost }) => cost ?? []);
  const billed = data.usage && billedText(data.usage);
  return (
    <div className="space-y-4">
      <Card
        title={<Status of={data.status} />}
        aside={
          <Link to="/executions/$id" params={{ id }} className={linkLook}>
            {text.playground.whole}
          </Link>
        }
      >
        <div aria-live="polite">
          {data.completed_at === null && <ProgressBar of={progress ?? data.progress} />}
          {data.error && <p className="mb-3 text-bad">{`${data.error.code}: ${data.error.message}`}</p>}
        </div>
        <Facts
          of={[
            [text.execution.hold, <Money key="hold" of={data.hold_amount} />],
            [text.execution.charge, <Money key="charge" of={data.cost} />],
            ...(costs.length === 0
              ? []
              : ([[text.playground.providerCost, <Money key="provider" of={costs.reduce(add)} />]] satisfies [
                  string,
                  ReactNode,
                ][])),
            [text.list.duration, duration(length)],
            [text.execution.attempts, data.attempts.length],
          ]}
        />
        {billed && <p className="mt-3 text-soft text-xs">{`${text.execution.chargedFor}: ${billed}`}</p>}
      </Card>
      <Card title={text.execution.output}>
        <Output of={data} stream={stream} />
      </Card>
      {log && (
        <Card title={text.execution.logs}>
          <Code of={log} label={text.execution.logs} />
        </Card>
      )}
    </div>
  );
}

/** Its length is unknown without a number. */
export function ProgressBar({ of }: { of: number | null }) {
  return (
    <div
      role="progressbar"
      aria-label={text.playground.progress}
      aria-valuenow={of === null ? undefined : Math.round(of * 100)}
      className="mb-3 h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div
        style={{ width: of === null ? '100%' : `${of * 100}%` }}
        className={`h-full rounded-full bg-accent transition-[width] ${of === null ? 'animate-pulse' : ''}`}
      />
    </div>
  );
}
