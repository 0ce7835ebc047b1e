import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { subtract } from '../amounts.ts';
import { change, newIdempotencyKey, type Schemas } from '../api.ts';
import { InputFiles } from '../files.tsx';
import { executionKey, useEvents, useExecution } from '../live.ts';
import { Output } from '../Output.tsx';
import {
  Card,
  Code,
  Confirmed,
  Copy,
  canCopy,
  duration,
  Empty,
  Facts,
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
import { ProgressBar } from './Run.tsx';

type Whole = Schemas['ExecutionWithAttempts'];

export function Execution() {
  const { id } = useParams({ from: '/executions/$id' });
  const { data, error, isPending, refetch } = useExecution(id);
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

function Details({ of }: { of: Whole }) {
  const { progress, lines } = useEvents(of);
  const log = of.logs ?? (lines.length > 0 ? lines.join('\n') : null);
  return (
    <>
      <Head of={of} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-4">
          <Card title={text.execution.timeline}>
            {of.completed_at === null && <ProgressBar of={progress?.progress ?? of.progress} />}
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
              <div className="space-y-3">
                <InputFiles input={of.input} organizationId={of.organization_id} />
                <Json of={of.input} label={text.execution.input} />
              </div>
            )}
          </Card>
          {of.metadata && (
            <Card title={text.execution.metadata}>
              <Json of={of.metadata} label={text.execution.metadata} />
            </Card>
          )}
          {log && (
            <Card title={text.execution.logs}>
              <Code of={log} label={text.execution.logs} />
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
  const refresh = () => client.invalidateQueries({ queryKey: executionKey(of.id) });
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
        <Reruns of={of} />
        {of.error && <p className="mt-2 text-bad">{`${of.error.code}: ${of.error.message}`}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        {of.erased_at === null && <RunAgain of={of} />}
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

/** What this execution repeats, and what repeats it. */
function Reruns({ of }: { of: Whole }) {
  const link = (id: string, status?: string) => (
    <Link
      key={id}
      to="/executions/$id"
      params={{ id }}
      className="inline-flex flex-wrap items-center gap-x-2 underline"
    >
      <Id of={id} />
      {status && <Status of={status} />}
    </Link>
  );
  return (
    <>
      {of.rerun_of && (
        <p className="mt-1 text-soft">
          {`${text.execution.rerunOf} `}
          {link(of.rerun_of)}
        </p>
      )}
      {of.reruns.length > 0 && (
        <div className="mt-1 text-soft">
          {text.execution.reruns}
          <ul>
            {of.reruns.map(({ id, status }) => (
              <li key={id}>{link(id, status)}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** The key lasts as long as the page: a double click, or a retry after a lost response, runs once. */
function RunAgain({ of }: { of: Whole }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const refusal = useRefusal('admin');
  const [key, setKey] = useState(newIdempotencyKey);
  const run = async () => {
    const { id } = await change<{ id: string }>('POST', `/executions/${of.id}/rerun`, {
      idempotencyKey: key,
    });
    setKey(newIdempotencyKey());
    await client.invalidateQueries({ queryKey: executionKey(of.id) });
    await navigate({ to: '/executions/$id', params: { id } });
  };
  return (
    <Confirmed
      label={text.execution.runAgain}
      question={text.execution.runAgainQuestion(of.hold_amount)}
      disabledBecause={refusal}
      act={run}
    />
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

function MoneyCard({ of }: { of: Whole }) {
  const [first, last] = [of.transactions.at(0), of.transactions.at(-1)];
  const amounts: [string, string | null | undefined][] = [
    [text.execution.estimate, of.estimated_cost],
    [text.execution.hold, of.hold_amount],
    [text.execution.charge, of.cost],
    [text.execution.returned, returnedOf(of.transactions)],
    ...(of.written_off === null ? [] : ([[text.execution.writtenOff, of.written_off]] as [string, string][])),
    [text.execution.balanceBefore, first && before(first)],
    [text.execution.balanceAfter, last?.available_after],
  ];
  return (
    <Card title={text.execution.money}>
      <div className="mb-4">
        <Facts of={amounts.map(([name, amount]) => [name, <Money key={name} of={amount} />] as const)} />
      </div>
      <Transactions rows={of.transactions} />
    </Card>
  );
}

/** What went back from the hold to the available balance. */
function returnedOf(rows: Schemas['Transaction'][]): string | null {
  const back = rows.find(({ kind }) => kind === 'remainder' || kind === 'release');
  return back?.available_change ?? null;
}

const before = ({ available_after: after, available_change: by }: Schemas['Transaction']) =>
  subtract(after, by);

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
            stale={executionKey(of.id)}
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
