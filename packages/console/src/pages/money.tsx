import { Link } from '@tanstack/react-router';
import { subtract } from '../amounts.ts';
import type { Schemas } from '../api.ts';
import { Card, Change, Facts, Money, Time } from '../parts.tsx';
import { text } from '../strings.ts';

type Whole = Schemas['ExecutionWithAttempts'];

export function MoneyCard({ of }: { of: Whole }) {
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

const head = 'py-1.5 pr-4 font-medium';
const amount = 'py-1.5 pr-4 text-right tabular-nums last:pr-0';

export function Transactions({ rows }: { rows: Schemas['Transaction'][] }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-xs">
        <caption className="sr-only">{text.execution.journal}</caption>
        <thead className="text-soft">
          <tr className="border-line border-b">
            <th className={head}>{text.columns.kind}</th>
            {[text.columns.amount, text.execution.available, text.execution.held].map((name) => (
              <th key={name} className={`${head} text-right last:pr-0`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.sequence} className="border-line border-b align-top last:border-0">
              <td className="min-w-28 py-1.5 pr-4">
                {row.execution_id ? (
                  <Link
                    to="/executions/$id"
                    params={{ id: row.execution_id }}
                    className="underline decoration-soft"
                  >
                    {row.kind}
                  </Link>
                ) : (
                  row.kind
                )}
                {row.reason && <span className="block text-soft">{row.reason}</span>}
                <span className="block text-soft [&>time]:whitespace-normal">
                  <Time at={row.created_at} />
                </span>
              </td>
              <td className={amount}>
                <Money of={row.amount} />
              </td>
              <td className={amount}>
                <Change by={row.available_change} to={row.available_after} />
              </td>
              <td className={amount}>
                <Change by={row.held_change} to={row.held_after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
