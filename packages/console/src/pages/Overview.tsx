import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { read, type Schemas } from '../api.ts';
import { fieldTime, overviewRanges, overviewSearchOf } from '../features/search/filters.ts';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { Card, Tile, tileLook } from '../ui/card.tsx';
import { Bars, Meter } from '../ui/charts.tsx';
import { Choice } from '../ui/filterBar.tsx';
import { age, duration, percent } from '../ui/format.ts';
import { Heading } from '../ui/heading.tsx';
import { liveMs } from '../ui/intervals.ts';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Status, Time } from '../ui/values.tsx';
import { Attention } from './attention.tsx';
import { MoneyCard, Period } from './overviewPeriod.tsx';

type Whole = Schemas['Overview'];

export function Overview() {
  const { range = 'hour' } = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const { data, error, refetch } = useQuery({
    queryKey: ['overview'],
    queryFn: () => read<Whole>('/overview'),
    refetchInterval: liveMs,
  });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-2">
        <Heading title={text.overview.title} />
        <Choice
          label={text.money.range}
          value={range}
          of={overviewRanges}
          names={text.overview.ranges}
          onChange={(chosen) => void navigate({ search: overviewSearchOf({ range: chosen }) })}
        />
      </div>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={12} />}
      {data && range === 'hour' && <LastHour of={data} />}
      {data && range !== 'hour' && (
        <div className="space-y-4">
          <Attention items={data.attention} />
          <Period range={range} />
        </div>
      )}
    </>
  );
}

function LastHour({ of }: { of: Whole }) {
  const { minutes, counted_since: countedSince } = of.executions;
  // The lists behind the numbers have the same executions.
  const from = fieldTime(countedSince ?? minutes[0]?.at ?? of.at);
  return (
    <div className="space-y-4">
      <Attention items={of.attention} />
      <Tiles of={of} from={from} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <ExecutionsCard of={of.executions} />
        <MoneyCard range="24h" />
        <Models of={of.models} from={from} />
        <Providers of={of.providers} from={from} />
        <Errors of={of.executions.errors} from={from} />
        <System of={of} />
      </div>
    </div>
  );
}

const sumOf = (minutes: Schemas['OverviewMinute'][], name: 'created' | 'failed') =>
  minutes.reduce((sum, minute) => sum + minute[name], 0);

function Tiles({ of, from }: { of: Whole; from: string }) {
  const { minutes } = of.executions;
  const hour = fieldTime(minutes[0]?.at ?? of.at);
  const [created, failed] = [sumOf(minutes, 'created'), sumOf(minutes, 'failed')];
  const pending = of.backlog.find(({ kind }) => kind === 'pending');
  const undelivered = of.deliveries.failed + of.deliveries.expired;
  const broken = of.deliveries.endpoints_failing + of.deliveries.endpoints_deactivated;
  const waiting = of.deliveries.pending > 0 ? text.overview.notYetDelivered(of.deliveries.pending) : null;
  return (
    <ul className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <li>
        <Link to="/executions" search={{ from }} className={tileLook}>
          <Tile name={text.overview.executions} value={created.toLocaleString()} />
        </Link>
      </li>
      <li>
        <Link to="/executions" search={{ status: 'FAILED,EXPIRED', from }} className={tileLook}>
          <Tile
            name={text.overview.failed}
            value={failed.toLocaleString()}
            isBad={failed > 0}
            aside={created > 0 ? text.overview.share(percent(failed / created)) : null}
          />
        </Link>
      </li>
      <li>
        <Link to="/executions" search={{ status: 'PENDING' }} className={tileLook}>
          <Tile
            name={text.overview.pending}
            value={text.queues.counted(pending?.count ?? 0)}
            aside={pending?.oldest_s ? text.overview.oldest(age(pending.oldest_s)) : null}
          />
        </Link>
      </li>
      <li>
        <Link
          to="/webhooks/deliveries"
          search={{ status: 'failed,expired', from: hour }}
          className={tileLook}
        >
          <Tile
            name={text.overview.undelivered}
            value={undelivered.toLocaleString()}
            isBad={undelivered > 0}
            aside={broken > 0 ? text.overview.endpointsFailing(broken) : waiting}
          />
        </Link>
      </li>
    </ul>
  );
}

function ExecutionsCard({ of }: { of: Whole['executions'] }) {
  const { minutes, counted_since: since } = of;
  const valuesOf = (pick: (minute: Schemas['OverviewMinute']) => number) => minutes.map(pick);
  const isEmpty = sumOf(minutes, 'created') === 0;
  const navigate = useNavigate();
  return (
    <Card title={text.overview.perMinute}>
      {isEmpty ? (
        <Empty title={text.overview.noExecutions} hint={text.list.emptyHint}>
          <Link to="/playground" className={linkLook}>
            {text.playground.open}
          </Link>
        </Empty>
      ) : (
        <Bars
          label={text.overview.perMinute}
          times={minutes.map(({ at }) => at)}
          onPick={(at) => void navigate({ to: '/executions', search: minuteOf(at) })}
          series={[
            { name: text.overview.completed, look: 'good', values: valuesOf(({ completed }) => completed) },
            { name: text.overview.open, look: 'busy', values: valuesOf(openOf) },
            { name: text.overview.cancelled, look: 'soft', values: valuesOf(({ cancelled }) => cancelled) },
            { name: text.overview.failed, look: 'bad', values: valuesOf(({ failed }) => failed) },
          ]}
        />
      )}
      {since && (
        <p className="mt-2 text-soft text-xs">
          {text.overview.countedSince} <Time at={since} />
        </p>
      )}
    </Card>
  );
}

const minuteOf = (at: string) => ({
  from: fieldTime(at),
  to: fieldTime(new Date(Date.parse(at) + 60_000).toISOString()),
});

const openOf = ({ created, completed, failed, cancelled }: Schemas['OverviewMinute']) =>
  created - completed - failed - cancelled;

function Models({ of, from }: { of: Whole['models']; from: string }) {
  const slowest = Math.max(1, ...of.map(({ p95_ms: ms }) => ms ?? 0));
  return (
    <Card title={text.overview.models} aside={of.length === 0 && text.overview.noModels}>
      {of.length > 0 && (
        <Table
          caption={text.overview.models}
          rows={of}
          keyOf={({ model }) => model}
          columns={[
            {
              name: text.list.model,
              of: ({ model, p95_ms: p95 }) => (
                <>
                  <Link to="/executions" search={{ model, from }} className="wrap-anywhere hover:underline">
                    {model}
                  </Link>
                  <Meter share={(p95 ?? 0) / slowest} />
                </>
              ),
            },
            { name: text.overview.executions, of: ({ created }) => created.toLocaleString() },
            { name: text.overview.failed, of: ({ failed }) => <Failures of={failed} /> },
            { name: 'p50', of: ({ p50_ms: p50 }) => shownMs(p50) },
            { name: 'p95', of: ({ p95_ms: p95 }) => shownMs(p95) },
          ]}
        />
      )}
    </Card>
  );
}

function Failures({ of }: { of: number }) {
  return <span className={of > 0 ? 'text-bad' : 'text-soft'}>{of.toLocaleString()}</span>;
}

const shownMs = (ms: number | null) => duration(ms === null ? null : Math.round(ms));

function Providers({ of, from }: { of: Whole['providers']; from: string }) {
  return (
    <Card title={text.overview.providers}>
      {of.length === 0 && <Empty title={text.overview.noProviders} hint={text.overview.noProvidersHint} />}
      {of.length > 0 && (
        <Table
          caption={text.overview.providers}
          rows={of}
          keyOf={({ connection }) => connection}
          columns={[
            {
              name: text.list.provider,
              of: ({ connection: provider }) => (
                <Link to="/executions" search={{ provider, from }} className="wrap-anywhere hover:underline">
                  {provider}
                </Link>
              ),
            },
            {
              name: text.overview.circuit,
              of: ({ circuit }) => (
                <Status
                  of={circuit ?? text.overview.unknown}
                  look={circuit === 'open' ? 'text-bad' : undefined}
                />
              ),
            },
            { name: text.overview.attempts, of: ({ attempts }) => attempts.toLocaleString() },
            { name: text.overview.failed, of: ({ failed }) => <Failures of={failed} /> },
            { name: 'p50', of: ({ p50_ms: p50 }) => shownMs(p50) },
          ]}
        />
      )}
    </Card>
  );
}

function Errors({ of, from }: { of: Whole['executions']['errors']; from: string }) {
  const most = Math.max(1, ...of.map(({ count }) => count));
  return (
    <Card title={text.overview.errors} aside={of.length === 0 && text.overview.noErrors}>
      {of.length > 0 && (
        <ul className="space-y-2">
          {of.map(({ code, count }) => (
            <li key={code}>
              <Link
                to="/executions"
                search={{ error: code, from }}
                className="flex justify-between gap-3 hover:underline"
              >
                <span className="break-all font-mono text-xs">{code}</span>
                <span className="tabular-nums">{count.toLocaleString()}</span>
              </Link>
              <Meter share={count / most} look="bad" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function System({ of }: { of: Whole }) {
  const waiting = of.queues?.reduce((sum, queue) => sum + queue.waiting, 0) ?? null;
  const oldest = Math.max(0, ...(of.queues ?? []).map(({ oldest_waiting_s: age }) => age ?? 0));
  const reviews = of.backlog.find(({ kind }) => kind === 'reviews');
  const backlog = of.backlog.filter(({ kind, count }) => count > 0 && kind !== 'reviews');
  return (
    <Card title={text.overview.system}>
      <dl className="space-y-3">
        <Fact to="/queues" name={text.queues.title}>
          {waiting === null ? text.queues.noRedis : text.overview.jobsWaiting(waiting)}
          {oldest > 0 && ` · ${text.overview.oldest(age(oldest))}`}
        </Fact>
        <Fact to="/queues" name={text.queues.backlog}>
          {backlog.length === 0 && text.queues.noBacklog}
          {backlog.map(({ kind, count }) => (
            <span key={kind} className="block">
              {`${text.queues.counted(count)} ${text.queues.kinds[kind]}`}
            </span>
          ))}
        </Fact>
        <Fact to="/webhooks" name={text.overview.deliveries}>
          {text.overview.delivered(of.deliveries.delivered, of.deliveries.pending)}
        </Fact>
        <Fact to="/reviews" name={text.reviews.title}>
          {text.overview.inReview(reviews?.count ?? 0)}
        </Fact>
        <Fact to="/audit" name={text.audit.title}>
          <AuditState of={of.audit} />
        </Fact>
      </dl>
    </Card>
  );
}

type FactProps = { to: '/queues' | '/webhooks' | '/reviews' | '/audit'; name: string; children: ReactNode };

function Fact({ to, name, children }: FactProps) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt>
        <Link to={to} className="hover:underline">
          {name}
        </Link>
      </dt>
      <dd className="grow basis-40 text-right text-soft">{children}</dd>
    </div>
  );
}

function AuditState({ of }: { of: Schemas['LedgerAudit'] }) {
  if (of.is_consistent === null) return text.audit.none;
  return (
    <>
      <span className={of.is_consistent ? 'text-good' : 'text-bad'}>
        {of.is_consistent ? text.audit.consistent : text.audit.inconsistent}
      </span>
      {' · '}
      <Time at={of.finished_at} />
    </>
  );
}
