import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { text } from '../../strings.ts';
import { Card } from '../../ui/card.tsx';
import { Heading } from '../../ui/heading.tsx';
import { liveMs, liveSumMs } from '../../ui/intervals.ts';
import { List, More, usePages } from '../../ui/lists.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Change, Facts, Money, Time } from '../../ui/values.tsx';
import { read, type Schemas } from '../api.ts';
import { useMay, useSession } from '../session.tsx';
import { words } from '../strings.ts';

export function Usage() {
  const may = useMay();
  const { data } = useSession();
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <Heading title={words.usage.title} />
        {data?.top_up_url && (
          <a
            href={data.top_up_url}
            target="_blank"
            rel="noreferrer"
            className="rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent hover:opacity-90"
          >
            {words.usage.topUp}
          </a>
        )}
      </div>
      <div className="space-y-4">
        <BalanceCard />
        {may('usage') && (
          <>
            <div className="grid gap-4 lg:grid-cols-2">
              <UsageCard title={words.usage.byModel} by="model" />
              <UsageCard title={words.usage.byDay} by="day" />
            </div>
            <Statement />
          </>
        )}
      </div>
    </>
  );
}

function BalanceCard() {
  const { data, error, refetch } = useQuery({
    queryKey: ['balance'],
    queryFn: () => read<Schemas['Balance']>('/balance'),
    refetchInterval: liveMs,
  });
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton rows={2} />;
  const { spend_limit: limit } = data;
  const facts: [string, ReactNode][] = [
    [text.organizations.available, <Money key="available" of={data.available} />],
    [text.organizations.held, <Money key="held" of={data.held} />],
    [text.organizations.total, <Money key="total" of={data.total} />],
  ];
  if (limit)
    facts.push([
      text.organizations.limit,
      <span key="limit">
        <Money of={limit.spent} /> / <Money of={limit.amount} />
      </span>,
    ]);
  return (
    <Card title={`${text.organizations.balance} (${data.currency})`}>
      <Facts of={facts} />
    </Card>
  );
}

function UsageCard({ title, by }: { title: string; by: 'model' | 'day' }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['usage', by],
    queryFn: () => read<Schemas['Usage']>('/usage', { group_by: by }),
    refetchInterval: liveSumMs,
  });
  return (
    <Card title={title}>
      {isPending && <Skeleton rows={3} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <Empty title={words.usage.none} />}
      {data && data.data.length > 0 && <UsageTable title={title} of={data} by={by} />}
    </Card>
  );
}

type UsageTableProps = { title: string; of: Schemas['Usage']; by: 'model' | 'day' };

function UsageTable({ title, of, by }: UsageTableProps) {
  const total = { name: words.usage.total, ...of.total };
  return (
    <div className="text-xs">
      <Table
        caption={title}
        rows={[...of.data.map((row) => ({ name: row[by] ?? '', ...row })), total]}
        keyOf={({ name }) => name}
        lookOf={(row) => (row === total ? 'font-semibold' : '')}
        columns={[
          { name: words.usage[by], of: ({ name }) => <span className="wrap-anywhere">{name}</span> },
          { name: words.usage.executions, of: ({ executions }) => executions.toLocaleString() },
          { name: words.usage.inputTokens, of: (row) => row.input_tokens.toLocaleString() },
          { name: words.usage.outputTokens, of: (row) => row.output_tokens.toLocaleString() },
          { name: words.usage.cost, of: ({ cost }) => <Money of={cost} /> },
        ]}
      />
    </div>
  );
}

function Statement() {
  const pages = usePages(
    ['statement'],
    (cursor) => read<Schemas['TransactionPage']>('/balance/transactions', { cursor, limit: 20 }),
    { isLive: true },
  );
  return (
    <Card title={text.organizations.statement}>
      <p className="mb-3 text-soft text-xs">{words.usage.statementAbout}</p>
      <div className="text-xs">
        <List pages={pages} empty={<Empty title={text.organizations.noTransactions} />}>
          {(rows) => (
            <Table
              caption={text.organizations.statement}
              rows={rows}
              keyOf={({ sequence }) => sequence}
              columns={[
                { name: words.usage.what, of: (row) => <What of={row} /> },
                {
                  name: text.execution.available,
                  of: (row) => <Change by={row.available_change} to={row.available_after} />,
                },
                {
                  name: text.execution.held,
                  of: (row) => <Change by={row.held_change} to={row.held_after} />,
                },
              ]}
            />
          )}
        </List>
      </div>
      <More pages={pages} />
    </Card>
  );
}

function What({ of }: { of: Schemas['Transaction'] }) {
  const may = useMay();
  const kind = words.usage.kinds[of.kind];
  return (
    <>
      {of.execution_id && may('executions') ? (
        <Link to="/executions/$id" params={{ id: of.execution_id }} className="underline">
          {kind}
        </Link>
      ) : (
        kind
      )}
      {of.reason && <span className="block text-soft">{of.reason}</span>}
      <span className="block text-soft">
        <Time at={of.created_at} />
      </span>
    </>
  );
}
