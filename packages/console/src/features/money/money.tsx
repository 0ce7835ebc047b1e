import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { subtract } from '../../ui/amounts.ts';
import { Card } from '../../ui/card.tsx';
import { Table } from '../../ui/table.tsx';
import { Change, Facts, Money, Time } from '../../ui/values.tsx';
import { billedText } from './billed.ts';
import { ReviewNote } from './reviews.tsx';

type Whole = Schemas['ExecutionWithAttempts'];

export function MoneyCard({ of }: { of: Whole }) {
  const own = of.transactions.filter(({ kind }) => kind !== 'correction');
  const refunds = of.transactions.filter(({ kind }) => kind === 'correction');
  const [first, last] = [own.at(0), own.at(-1)];
  const amounts: [string, string | null | undefined][] = [
    [text.execution.estimate, of.estimated_cost],
    [text.execution.hold, of.hold_amount],
    [text.execution.charge, of.cost],
    [text.execution.returned, returnedOf(of.transactions)],
    ...refunds.map(({ amount }): [string, string] => [text.execution.refunded, amount]),
    ...(of.written_off === null ? [] : ([[text.execution.writtenOff, of.written_off]] as [string, string][])),
    [text.execution.balanceBefore, first && before(first)],
    [text.execution.balanceAfter, last?.available_after],
  ];
  const billed = of.usage && billedText(of.usage);
  return (
    <Card title={text.execution.money}>
      {of.review && <ReviewNote of={of.review} />}
      <div className="mb-4">
        <Facts of={amounts.map(([name, amount]) => [name, <Money key={name} of={amount} />] as const)} />
        {billed && <p className="mt-3 text-soft text-xs">{`${text.execution.chargedFor}: ${billed}`}</p>}
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
    <div className="text-xs">
      <Table
        caption={text.execution.journal}
        rows={rows}
        keyOf={({ sequence }) => sequence}
        columns={[
          { name: text.columns.kind, of: (row) => <Kind of={row} /> },
          { name: text.columns.amount, of: ({ amount }) => <Money of={amount} /> },
          {
            name: text.execution.available,
            of: (row) => <Change by={row.available_change} to={row.available_after} />,
          },
          { name: text.execution.held, of: (row) => <Change by={row.held_change} to={row.held_after} /> },
        ]}
      />
    </div>
  );
}

function Kind({ of }: { of: Schemas['Transaction'] }) {
  return (
    <div className="min-w-28">
      {of.execution_id ? (
        <Link to="/executions/$id" params={{ id: of.execution_id }} className="underline decoration-soft">
          {of.kind === 'correction' ? text.execution.refundKind : of.kind}
        </Link>
      ) : (
        of.kind
      )}
      {of.reason && <span className="block text-soft">{of.reason}</span>}
      <span className="block text-soft [&>time]:whitespace-normal">
        <Time at={of.created_at} />
      </span>
    </div>
  );
}
