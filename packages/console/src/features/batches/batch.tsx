import type { components } from '@holdfast/sdk/generated/api.ts';
import { number } from '../../strings/locale.ts';
import { text } from '../../strings/shared.ts';
import { linkLook } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirmed } from '../../ui/dialog.tsx';
import { Facts, Money, Time } from '../../ui/values.tsx';

export type Batch = components['schemas']['Batch'];

export const batchStatuses = [
  'open',
  'running',
  'paused',
  'finishing',
  'completed',
  'cancelled',
  'expired',
] as const satisfies readonly Batch['status'][];

const words = text.batches;

export const endedOf = ({ counts: { total, waiting, running } }: Batch) => total - waiting - running;

const parts = [
  ['completed', 'bg-good'],
  ['failed', 'bg-bad'],
  ['expired', 'bg-busy'],
  ['cancelled', 'bg-soft'],
] as const;

/** How many items have ended, and how. */
export function Progress({ of }: { of: Batch }) {
  const { counts } = of;
  const ended = endedOf(of);
  const said = words.done(ended, counts.total);
  return (
    <div
      role="progressbar"
      aria-label={words.progress}
      aria-valuemin={0}
      aria-valuemax={counts.total}
      aria-valuenow={ended}
      aria-valuetext={said}
      title={said}
      className="flex h-2.5 w-full overflow-hidden rounded-full bg-line"
    >
      {parts.map(([name, look]) => (
        <span
          key={name}
          className={look}
          style={{ width: `${counts.total === 0 ? 0 : (counts[name] / counts.total) * 100}%` }}
        />
      ))}
    </div>
  );
}

/** Why it is paused, its progress, counts, amounts and times. */
export function BatchFacts({ of }: { of: Batch }) {
  const { counts } = of;
  const names = Object.keys(words.counts) as (keyof typeof words.counts)[];
  return (
    <Card title={words.progress}>
      {of.reason !== null && (
        <p className={`mb-3 ${of.status === 'paused' ? 'text-busy' : 'text-bad'}`}>
          {words.reasons[of.reason]}
        </p>
      )}
      <Progress of={of} />
      <p className="mt-1.5 mb-4 text-soft">{words.done(endedOf(of), counts.total)}</p>
      <Facts
        of={[
          ...names.map((name) => [words.counts[name], number(counts[name])] as const),
          [words.cost, <Money key="cost" of={of.cost} />],
          [words.held, <Money key="held" of={of.held} />],
          ...(of.max_cost === null ? [] : [[words.maxCost, <Money key="max" of={of.max_cost} />] as const]),
        ]}
      />
    </Card>
  );
}

export function BatchTimes({ of }: { of: Batch }) {
  const times = [
    [words.created, of.created_at],
    [words.sealed, of.sealed_at],
    [words.ends, of.estimated_end_at],
    [words.expires, of.ended_at === null && of.sealed_at !== null ? of.expires_at : null],
    [words.ended, of.ended_at],
  ] as const;
  return (
    <Card title={text.execution.timeline}>
      <Facts
        of={times.flatMap(([name, at]) =>
          at === null ? [] : [[name, <Time key={name} at={at} />] as const],
        )}
      />
    </Card>
  );
}

/** Links to its two files. */
export function BatchFiles({ of, urlOf }: { of: Batch; urlOf: (fileId: string) => string }) {
  if (of.erased_at !== null) return <p className="text-soft">{words.erased}</p>;
  const { completed, failed, cancelled, expired } = of.counts;
  const files = [
    [words.output, of.output_file_id, completed],
    [words.errors, of.error_file_id, failed + cancelled + expired],
  ] as const;
  return (
    <Card title={words.files}>
      <p className="mb-2 text-soft">{words.filesHint}</p>
      <div className="flex flex-wrap gap-2">
        {files.map(([name, id, lines]) => (
          <a key={id} href={urlOf(id)} download className={linkLook}>
            {`${name} (${number(lines)})`}
          </a>
        ))}
      </div>
    </Card>
  );
}

/** What its status allows. `post` sends to the batch. */
export function BatchActions({
  of,
  post,
}: {
  of: Batch;
  post: (action: string, body?: object) => Promise<unknown>;
}) {
  const { status, counts } = of;
  const isOver = of.ended_at !== null;
  const hasFailed = counts.failed + counts.expired > 0 && of.erased_at === null;
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'running' && counts.waiting > 0 && (
        <Confirmed label={words.pause} question={words.pauseQuestion} act={() => post('pause')} />
      )}
      {status === 'paused' && (
        <Confirmed label={words.resume} question={words.resumeQuestion} act={() => post('resume', {})} />
      )}
      {hasFailed && (isOver || status === 'running' || status === 'paused') && (
        <Confirmed
          label={words.retry}
          question={words.retryQuestion}
          act={() => post('retry', { filter: { status: ['failed', 'expired'] } })}
        />
      )}
      {!isOver && of.ends_as !== 'cancelled' && (
        <Confirmed
          label={words.cancel}
          question={words.cancelQuestion}
          tone="danger"
          act={() => post('cancel')}
        />
      )}
    </div>
  );
}
