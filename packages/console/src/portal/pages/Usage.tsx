import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button, Card, Empty, Money, Problem, Skeleton, Time } from '../../parts.tsx';
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
        <h1 className="font-semibold text-xl">{words.usage.title}</h1>
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
  });
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton rows={2} />;
  const facts: [string, string][] = [
    [text.organizations.available, data.available],
    [text.organizations.held, data.held],
    [text.organizations.total, data.total],
  ];
  return (
    <Card title={`${text.organizations.balance} (${data.currency})`}>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            <Money of={value} />
          </Fact>
        ))}
        {data.spend_limit && (
          <Fact name={text.organizations.limit}>
            <Money of={data.spend_limit.spent} /> / <Money of={data.spend_limit.amount} />
          </Fact>
        )}
      </dl>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-soft text-xs">{name}</dt>
      <dd className="text-lg">{children}</dd>
    </div>
  );
}

function UsageCard({ title, by }: { title: string; by: 'model' | 'day' }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['usage', by],
    queryFn: () => read<Schemas['Usage']>('/usage', { group_by: by }),
  });
  return (
    <Card title={title}>
      {isPending && <Skeleton rows={3} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <Empty title={words.usage.none} />}
      {data && data.data.length > 0 && <UsageTable of={data} by={by} />}
    </Card>
  );
}

function UsageTable({ of, by }: { of: Schemas['Usage']; by: 'model' | 'day' }) {
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
    <Table caption={words.usage.title} columns={columns}>
      {rows.map((row, index) => (
        <tr key={row.name} className={index === rows.length - 1 ? 'font-semibold' : 'border-line border-b'}>
          <td className="py-1.5 pr-4 whitespace-nowrap">{row.name}</td>
          <td className="py-1.5 pr-4 tabular-nums">{row.executions.toLocaleString()}</td>
          <td className="py-1.5 pr-4 tabular-nums">{row.input_tokens.toLocaleString()}</td>
          <td className="py-1.5 pr-4 tabular-nums">{row.output_tokens.toLocaleString()}</td>
          <td className="py-1.5">
            <Money of={row.cost} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Table(props: { caption: string; columns: string[]; children: ReactNode }) {
  const { caption, columns, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-xs">
        <thead className="text-soft">
          <tr className="border-line border-b">
            {columns.map((name) => (
              <th key={name} className="py-1.5 pr-4 font-medium whitespace-nowrap">
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
  const pages = useInfiniteQuery({
    queryKey: ['statement'],
    queryFn: ({ pageParam }) =>
      read<Schemas['TransactionPage']>('/balance/transactions', { cursor: pageParam, limit: 20 }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const { kind, amount, balance, when } = text.columns;
  return (
    <Card title={text.organizations.statement}>
      {pages.isPending && <Skeleton />}
      {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.data && rows.length === 0 && <Empty title={text.organizations.noTransactions} />}
      {rows.length > 0 && (
        <Table caption={text.organizations.statement} columns={[kind, amount, balance, when]}>
          {rows.map((row) => (
            <tr key={row.sequence} className="border-line border-b last:border-0">
              <td className="py-1.5 pr-4">
                {row.execution_id && may('executions') ? (
                  <Link to="/executions/$id" params={{ id: row.execution_id }} className="underline">
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
                <Money of={row.balance_after} />
              </td>
              <td className="py-1.5">
                <Time at={row.created_at} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {pages.hasNextPage && (
        <div className="mt-3">
          <Button onClick={() => void pages.fetchNextPage()}>{text.list.more}</Button>
        </div>
      )}
    </Card>
  );
}
