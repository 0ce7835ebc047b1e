import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { change, read, type Schemas } from '../api.ts';
import {
  Card,
  Code,
  Confirmed,
  Copy,
  canCopy,
  duration,
  Empty,
  Id,
  Json,
  Money,
  Problem,
  Skeleton,
  Status,
  Time,
} from '../parts.tsx';
import { useRefusal } from '../session.tsx';
import { snippets } from '../snippets.ts';
import { text } from '../strings.ts';
import { DeliveryRow } from './deliveries.tsx';

type Whole = Schemas['ExecutionWithAttempts'];

/** An execution that has not ended, or still has deliveries to make, is read again this often. */
const liveMs = 2000;

export function Execution() {
  const { id } = useParams({ from: '/executions/$id' });
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['execution', id],
    queryFn: () => read<Whole>(`/executions/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data && isSettled(state.data) ? false : liveMs),
  });
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link to="/executions" className="hover:underline">{`← ${text.execution.back}`}</Link>
      </nav>
      {isPending && <Skeleton rows={12} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && <Details of={data} />}
    </>
  );
}

function isSettled({ completed_at: ended, deliveries }: Whole): boolean {
  return ended !== null && deliveries.every(({ status }) => status !== 'pending');
}

function Details({ of }: { of: Whole }) {
  return (
    <>
      <Head of={of} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-4">
          <Card title={text.execution.timeline}>
            <Timeline of={of} />
          </Card>
          <MoneyCard of={of} />
          <Webhooks of={of} />
        </div>
        <div className="min-w-0 space-y-4">
          <Card title={text.execution.output}>
            <Output of={of} />
          </Card>
          <Card title={text.execution.input} aside={<CopyAs of={of} />}>
            {of.erased_at ? (
              <p className="text-soft">{text.execution.erased}</p>
            ) : (
              <Json of={of.input} label={text.execution.input} />
            )}
          </Card>
          {of.metadata && (
            <Card title={text.execution.metadata}>
              <Json of={of.metadata} label={text.execution.metadata} />
            </Card>
          )}
          {of.logs && (
            <Card title={text.execution.logs}>
              <Code of={of.logs} label={text.execution.logs} />
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

function Head({ of }: { of: Whole }) {
  const client = useQueryClient();
  const mayCancel = useRefusal('support');
  const mayErase = useRefusal('admin');
  const refresh = () => client.invalidateQueries({ queryKey: ['execution', of.id] });
  const cancel = async () => {
    await change('POST', `/executions/${of.id}/cancel`);
    await refresh();
  };
  const erase = async () => {
    await change('DELETE', `/organizations/${of.organization_id}/executions/${of.id}`);
    await refresh();
  };
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <h1 className="flex flex-wrap items-center gap-x-3 font-semibold text-xl">
          {of.model} <Status of={of.status} />
        </h1>
        <p className="mt-1 text-soft">
          <Id of={of.id} /> ·{' '}
          <Link to="/organizations/$id" params={{ id: of.organization_id }} className="underline">
            <Id of={of.organization_id} />
          </Link>
        </p>
        {of.error && <p className="mt-2 text-bad">{`${of.error.code}: ${of.error.message}`}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        {of.completed_at === null && (
          <Confirmed
            label={text.execution.cancel}
            question={text.execution.cancelQuestion}
            tone="danger"
            disabledBecause={mayCancel}
            act={cancel}
          />
        )}
        {of.completed_at !== null && of.erased_at === null && (
          <Confirmed
            label={text.execution.erase}
            question={text.execution.eraseQuestion}
            tone="danger"
            disabledBecause={mayErase}
            act={erase}
          />
        )}
      </div>
    </header>
  );
}

type Moment = { at: string | null; what: string; detail?: ReactNode; isBad?: boolean };

function momentsOf(of: Whole): Moment[] {
  const attempts = of.attempts.flatMap((attempt) => {
    const name = `Attempt ${attempt.number} at ${attempt.provider}`;
    const isBad = attempt.outcome?.ok === false;
    const outcome = attempt.outcome?.ok ? 'succeeded' : (attempt.outcome?.code ?? attempt.state);
    const detail = (
      <>
        {attempt.target && <span className="block">{attempt.target}</span>}
        {attempt.external_id && <Id of={attempt.external_id} />}
        {attempt.outcome?.message && <span className="block">{attempt.outcome.message}</span>}
        {attempt.raw_error && <Code of={attempt.raw_error} label={text.execution.rawError} />}
      </>
    );
    const started: Moment = { at: attempt.created_at, what: `${name} started` };
    const ended: Moment = {
      at: attempt.finished_at,
      what: `${name} ${outcome} after ${duration(attempt.duration_ms)}`,
      detail,
      isBad,
    };
    return attempt.finished_at ? [started, ended] : [{ ...started, detail }];
  });
  const deliveries = of.deliveries.flatMap(({ attempts: posts, url, event_type: type }) =>
    posts.map((post) => ({
      at: post.started_at,
      what: `${type} sent: ${post.status_code ?? post.error ?? '…'}${post.duration_ms === null ? '' : ` after ${post.duration_ms} ms`}`,
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

function Timeline({ of }: { of: Whole }) {
  const start = Date.parse(of.created_at);
  return (
    <ol className="relative space-y-4 border-line border-l pl-5">
      {momentsOf(of).map((moment, index) => (
        <li key={index} className="relative">
          <span
            aria-hidden="true"
            className={`absolute top-1.5 -left-[25px] size-2.5 rounded-full ${moment.isBad ? 'bg-bad' : 'bg-accent'}`}
          />
          <div className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className={`font-medium ${moment.isBad ? 'text-bad' : ''}`}>{moment.what}</span>
            <span className="text-soft text-xs tabular-nums" title={moment.at ?? ''}>
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

function Output({ of }: { of: Whole }) {
  if (of.erased_at) return <p className="text-soft">{text.execution.erased}</p>;
  if (of.result === undefined) {
    return (
      <p className="text-soft">
        {of.completed_at === null ? text.execution.noOutput : text.execution.failedOutput}
      </p>
    );
  }
  return (
    <div className="space-y-3">
      {of.files.map((file) => (
        <FilePreview key={file.file_id} file={file} organizationId={of.organization_id} />
      ))}
      <Json of={of.result} label={text.execution.output} />
    </div>
  );
}

type FileOf = Whole['files'][number];

/** Media are shown by their checked type; everything else is a link that downloads. */
function FilePreview({ file, organizationId }: { file: FileOf; organizationId: string }) {
  const url = `/admin/v1/organizations/${organizationId}/files/${file.file_id}/download`;
  const kind = /^(image|audio|video)\//.exec(file.content_type ?? '')?.[1];
  const isShown = file.status === 'ready' && file.content_type !== 'image/svg+xml';
  return (
    <figure className="rounded-md border border-line p-2">
      {isShown && kind === 'image' && (
        <img src={url} alt={file.filename} loading="lazy" className="mx-auto max-h-80 rounded" />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: a model made it, and made no captions */}
      {isShown && kind === 'audio' && <audio src={url} controls preload="none" className="w-full" />}
      {/* biome-ignore lint/a11y/useMediaCaption: a model made it, and made no captions */}
      {isShown && kind === 'video' && <video src={url} controls preload="none" className="max-h-80 w-full" />}
      <figcaption className="mt-1 flex flex-wrap justify-between gap-2 text-soft text-xs">
        <a href={url} download={file.filename} className="break-all underline">
          {file.filename}
        </a>
        <span>{`${file.content_type ?? ''} ${file.size_bytes ?? ''} B`}</span>
      </figcaption>
    </figure>
  );
}

function MoneyCard({ of }: { of: Whole }) {
  const facts: [string, string | null][] = [
    [text.execution.estimate, of.estimated_cost],
    [text.execution.hold, of.hold_amount],
    [text.execution.charge, of.cost],
    ...(of.written_off === null ? [] : ([[text.execution.writtenOff, of.written_off]] as [string, string][])),
  ];
  return (
    <Card title={text.execution.money}>
      <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-soft text-xs">{name}</dt>
            <dd className="text-base">
              <Money of={value} />
            </dd>
          </div>
        ))}
      </dl>
      <Transactions rows={of.transactions} />
    </Card>
  );
}

export function Transactions({ rows }: { rows: Schemas['Transaction'][] }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-xs">
        <caption className="sr-only">{text.execution.journal}</caption>
        <thead className="text-soft">
          <tr className="border-line border-b">
            {[
              text.columns.kind,
              text.columns.amount,
              text.execution.available,
              text.execution.held,
              text.columns.when,
            ].map((name) => (
              <th key={name} className="py-1.5 pr-4 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.sequence} className="border-line border-b last:border-0">
              <td className="py-1.5 pr-4">
                {row.execution_id ? (
                  <Link
                    to="/executions/$id"
                    params={{ id: row.execution_id }}
                    className="underline decoration-line"
                  >
                    {row.kind}
                  </Link>
                ) : (
                  row.kind
                )}
                {row.reason && <span className="block text-soft">{row.reason}</span>}
              </td>
              <td className="py-1.5 pr-4">
                <Money of={row.amount} />
              </td>
              <td className="py-1.5 pr-4">
                <Change by={row.available_change} to={row.available_after} />
              </td>
              <td className="py-1.5 pr-4">
                <Change by={row.held_change} to={row.held_after} />
              </td>
              <td className="py-1.5">
                <Time at={row.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The change, and the amount after it: both as the journal has them. */
function Change({ by, to }: { by: string; to: string }) {
  const isZero = /^-?0(\.0*)?$/.test(by);
  return (
    <>
      <Money of={to} />
      {!isZero && <span className="block text-soft">{by.startsWith('-') ? by : `+${by}`}</span>}
    </>
  );
}

function Webhooks({ of }: { of: Whole }) {
  return (
    <Card title={text.execution.webhooks}>
      {of.deliveries.length === 0 && (
        <Empty title={text.execution.noWebhooks} hint={text.execution.noWebhooksHint} />
      )}
      <ul className="divide-y divide-line">
        {of.deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            organizationId={of.organization_id}
            body={of.events.find(({ id }) => id === delivery.event_id)?.body ?? null}
            stale={['execution', of.id]}
          />
        ))}
      </ul>
    </Card>
  );
}

function CopyAs({ of }: { of: Whole }) {
  if (of.erased_at || !canCopy()) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs">
      <span className="text-soft">{text.execution.copyAs}</span>
      {Object.entries(snippets(of)).map(([language, code]) => (
        <Copy key={language} value={code} label={language} />
      ))}
    </div>
  );
}
