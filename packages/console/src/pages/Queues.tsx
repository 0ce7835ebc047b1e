import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change, read, type Schemas } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { text } from '../strings.ts';
import { Card } from '../ui/card.tsx';
import { Confirmed } from '../ui/dialog.tsx';
import { age } from '../ui/format.ts';
import { Heading } from '../ui/heading.tsx';
import { liveMs } from '../ui/intervals.ts';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Id, Time } from '../ui/values.tsx';

type All = Schemas['QueueList'];
type Queue = Schemas['Queue'];

export function Queues() {
  const { data, error, refetch } = useQuery({
    queryKey: ['queues'],
    queryFn: () => read<All>('/queues'),
    refetchInterval: liveMs,
  });
  return (
    <>
      <Heading title={text.queues.title} />
      <p className="mt-1 mb-4 text-soft">{text.queues.about}</p>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={12} />}
      {data && (
        <div className="grid gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] xl:items-start">
          <Card title={text.queues.redis}>
            {data.queues === null && <Empty title={text.queues.noRedis} hint={text.queues.noRedisHint} />}
            <ul className="-my-3 divide-y divide-line">
              {data.queues?.map((queue) => (
                <Row key={queue.queue} of={queue} />
              ))}
            </ul>
          </Card>
          <Backlog of={data.backlog} />
        </div>
      )}
    </>
  );
}

function Row({ of }: { of: Queue }) {
  const facts: [string, number][] = [
    [text.queues.waiting, of.waiting],
    [text.queues.active, of.active],
    [text.queues.delayed, of.delayed],
    [text.queues.failed, of.failed],
  ];
  return (
    <li className="py-3">
      <div className="flex items-start justify-between gap-x-4">
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-baseline gap-x-2 font-medium">
            {of.queue}
            {of.is_paused && <span className="font-semibold text-bad text-xs">{text.queues.paused}</span>}
          </h3>
          <p className="text-soft text-xs">{text.queues.jobs[of.queue]}</p>
        </div>
        <Controls of={of} />
      </div>
      <dl className="mt-1.5 flex flex-wrap gap-x-5 gap-y-1 text-xs">
        {facts.map(([name, count]) => (
          <div key={name} className="flex gap-1.5">
            <dt className="text-soft">{name}</dt>
            <dd className={`tabular-nums ${name === text.queues.failed && count > 0 ? 'text-bad' : ''}`}>
              {count}
            </dd>
          </div>
        ))}
        {of.oldest_waiting_s !== null && (
          <div className="flex gap-1.5">
            <dt className="text-soft">{text.queues.oldest}</dt>
            <dd className="tabular-nums">{age(of.oldest_waiting_s)}</dd>
          </div>
        )}
      </dl>
      {of.failed > 0 && <FailedJobs queue={of.queue} />}
    </li>
  );
}

function Controls({ of: { queue, is_paused: isPaused, failed } }: { of: Queue }) {
  const client = useQueryClient();
  const [missingSupport, missingAdmin] = [useMissingRole('support'), useMissingRole('admin')];
  const act = async (method: 'POST' | 'PUT' | 'DELETE', what: string) => {
    await change(method, `/queues/${queue}/${what}`);
    await client.invalidateQueries({ queryKey: ['queues'] });
  };
  return (
    <div className="flex gap-2">
      {failed > 0 && (
        <Confirmed
          label={text.queues.retry}
          verb={text.queues.verbs.retry}
          question={text.queues.retryQuestion(failed, queue)}
          disabledBecause={missingSupport}
          act={() => act('POST', 'retry')}
        />
      )}
      {isPaused ? (
        <Confirmed
          label={text.queues.resume}
          verb={text.queues.verbs.resume}
          question={text.queues.resumeQuestion(queue)}
          disabledBecause={missingAdmin}
          act={() => act('DELETE', 'pause')}
        />
      ) : (
        <Confirmed
          label={text.queues.pause}
          verb={text.queues.verbs.pause}
          question={text.queues.pauseQuestion(queue)}
          disabledBecause={missingAdmin}
          act={() => act('PUT', 'pause')}
        />
      )}
    </div>
  );
}

function FailedJobs({ queue }: { queue: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, isLoading } = useQuery({
    queryKey: ['queues', queue, 'failed'],
    queryFn: () => read<Schemas['FailedJobList']>(`/queues/${queue}/failed-jobs`),
    enabled: isOpen,
    refetchInterval: liveMs,
  });
  return (
    <details className="mt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-soft text-xs">{text.queues.failedJobs}</summary>
      {isLoading && <Skeleton rows={2} />}
      {error && <Problem error={error} />}
      {data?.data.length === 0 && <Empty title={text.queues.noFailedJobs} />}
      <ul className="mt-2 space-y-2 text-xs">
        {data?.data.map((job) => (
          <li key={job.id} className="rounded-md bg-hover p-2">
            <p className="break-words text-bad">{job.reason}</p>
            <p className="mt-1 flex flex-wrap gap-x-3 text-soft">
              <Id of={job.id} />
              <span>{text.queues.tries(job.tries)}</span>
              <Time at={job.failed_at} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Backlog({ of }: { of: Schemas['Backlog'][] }) {
  return (
    <Card title={text.queues.backlog}>
      <p className="mb-2 text-soft">{text.queues.backlogAbout}</p>
      <dl className="divide-y divide-line">
        {of.map(({ kind, count, oldest_s: oldest }) => (
          <div key={kind} className="flex justify-between gap-4 py-1.5">
            <dt className={count === 0 ? 'text-soft' : ''}>{text.queues.kinds[kind]}</dt>
            <dd className="whitespace-nowrap text-right tabular-nums">
              {text.queues.counted(count)}
              <span className="ml-2 inline-block min-w-14 text-soft text-xs">
                {oldest === null ? '' : age(oldest)}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
