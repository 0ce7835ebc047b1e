import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { text } from '../../strings/shared.ts';
import { linkLook } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Heading } from '../../ui/heading.tsx';
import { liveMs } from '../../ui/intervals.ts';
import { List, More, usePages } from '../../ui/lists.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Facts, Money, Time } from '../../ui/values.tsx';
import { read, type Schemas } from '../api.ts';
import { useMay, useSession } from '../session.tsx';
import { folded, type StatementLine } from '../statement.ts';
import { words } from '../strings.ts';
import { UsageOver } from './usageOver.tsx';

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
            <UsageOver />
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

function Statement() {
  const pages = usePages(
    ['statement'],
    (cursor) => read<Schemas['TransactionPage']>('/balance/transactions', { cursor, limit: 100 }),
    { isLive: true },
  );
  return (
    <Card
      title={text.organizations.statement}
      aside={
        <Link to="/usage/statement" className={linkLook}>
          {words.statement.link}
        </Link>
      }
    >
      <p className="mb-3 text-soft text-xs">{words.usage.statementAbout}</p>
      <div className="text-xs">
        <List pages={pages} empty={<Empty title={text.organizations.noTransactions} />}>
          {(rows) => (
            <Table
              caption={text.organizations.statement}
              rows={folded(rows)}
              keyOf={({ id }) => id}
              columns={[
                { name: words.usage.what, of: (line) => <What of={line} /> },
                { name: words.usage.change, of: ({ change }) => <Money of={change} /> },
                { name: text.organizations.total, of: ({ after }) => <Money of={after} /> },
              ]}
            />
          )}
        </List>
      </div>
      <More pages={pages} />
    </Card>
  );
}

function What({ of }: { of: StatementLine }) {
  const may = useMay();
  const kind = words.usage.kinds[of.kind];
  return (
    <>
      {of.executionId && may('executions') ? (
        <Link to="/executions/$id" params={{ id: of.executionId }} className="underline">
          {kind}
        </Link>
      ) : (
        kind
      )}
      {of.reason && <span className="block text-soft">{of.reason}</span>}
      <span className="block text-soft">
        <Time at={of.at} />
      </span>
    </>
  );
}
