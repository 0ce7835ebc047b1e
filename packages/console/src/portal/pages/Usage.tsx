import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { List, More, usePages } from '../../lists.tsx';
import {
  Card,
  Change,
  Empty,
  Facts,
  Heading,
  liveMs,
  liveSumMs,
  Money,
  Problem,
  Skeleton,
  Time,
} from '../../parts.tsx';
import { text } from '../../strings.ts';
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
  const columns = [
    words.usage[by],
    words.usage.executions,
    words.usage.inputTokens,
    words.usage.outputTokens,
    words.usage.cost,
  ];
  const rows = [
    ...of.data.map((row) => ({ name: row[by] ?? '', ...row })),
    { name: words.usage.total, ...of.total },
  ];
  return (
    <Table caption={title} columns={columns}>
      {rows.map((row, index) => (
        <tr key={row.name} className={index === rows.length - 1 ? 'font-semibold' : 'border-line border-b'}>
          <td className="py-1.5 pr-4 whitespace-nowrap">{row.name}</td>
          <td className={number}>{row.executions.toLocaleString()}</td>
          <td className={number}>{row.input_tokens.toLocaleString()}</td>
          <td className={number}>{row.output_tokens.toLocaleString()}</td>
          <td className={number}>
            <Money of={row.cost} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

const number = 'py-1.5 pr-4 text-right tabular-nums last:pr-0';
/** The columns that are not numbers. */
const texts: string[] = [words.usage.model, words.usage.day, words.usage.what];

function Table(props: { caption: string; columns: string[]; children: ReactNode }) {
  const { caption, columns, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-xs">
        <thead className="text-soft">
          <tr className="border-line border-b">
            {columns.map((name) => (
              <th
                key={name}
                className={`py-1.5 font-medium whitespace-nowrap ${texts.includes(name) ? 'pr-4' : 'pr-4 text-right last:pr-0'}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function Statement() {
  const may = useMay();
  const pages = usePages(
    ['statement'],
    (cursor) => read<Schemas['TransactionPage']>('/balance/transactions', { cursor, limit: 20 }),
    { isLive: true },
  );
  const columns = [words.usage.what, text.execution.available, text.execution.held];
  return (
    <Card title={text.organizations.statement}>
      <p className="mb-3 text-soft text-xs">{words.usage.statementAbout}</p>
      <List pages={pages} empty={<Empty title={text.organizations.noTransactions} />}>
        {(rows) => (
          <Table caption={text.organizations.statement} columns={columns}>
            {rows.map((row) => (
              <tr key={row.sequence} className="border-line border-b align-top last:border-0">
                <td className="py-1.5 pr-4">
                  {row.execution_id && may('executions') ? (
                    <Link to="/executions/$id" params={{ id: row.execution_id }} className="underline">
                      {words.usage.kinds[row.kind]}
                    </Link>
                  ) : (
                    words.usage.kinds[row.kind]
                  )}
                  {row.reason && <span className="block text-soft">{row.reason}</span>}
                  <span className="block text-soft">
                    <Time at={row.created_at} />
                  </span>
                </td>
                <td className={number}>
                  <Change by={row.available_change} to={row.available_after} />
                </td>
                <td className={number}>
                  <Change by={row.held_change} to={row.held_after} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </List>
      <More pages={pages} />
    </Card>
  );
}
