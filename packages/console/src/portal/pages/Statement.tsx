import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { number } from '../../strings/locale.ts';
import { text } from '../../strings/shared.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/filterBar.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { read } from '../api.ts';
import { type MonthlyStatement, monthName, monthsUntil, readStatement } from '../monthlyStatement.ts';
import { useSession } from '../session.tsx';
import { folded } from '../statement.ts';
import { words } from '../strings.ts';

/** A month for the books, on paper too: what the balance was, what was added and charged, and what it is. */
export function Statement() {
  const months = monthsUntil(new Date().toISOString());
  const { month = months[0] ?? '' } = useSearch({ from: '/usage/statement' });
  const navigate = useNavigate({ from: '/usage/statement' });
  const { data: session } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['statement of', month],
    queryFn: () => readStatement(read, month),
  });
  const title = words.statement.title(monthName(month));
  return (
    <article className="mx-auto max-w-3xl">
      <nav className="mb-3 text-soft print:hidden">
        <Link to="/usage" className="hover:underline">{`← ${words.usage.title}`}</Link>
      </nav>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3 print:hidden">
        <div className="w-48">
          <Choice
            label={words.statement.month}
            value={month}
            of={months}
            names={Object.fromEntries(months.map((one) => [one, monthName(one)]))}
            onChange={(one) => void navigate({ search: { month: one }, replace: true })}
          />
        </div>
        <Button tone="primary" onClick={() => window.print()}>
          {words.statement.print}
        </Button>
      </div>
      <Heading title={title} />
      <p className="mt-1 mb-4 text-soft">{session?.organization_name}</p>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && <Lines of={data} />}
    </article>
  );
}

function Lines({ of }: { of: MonthlyStatement }) {
  return (
    <div className="space-y-6 rounded-lg border border-line bg-card p-5 print:border-0 print:p-0">
      <Sum name={words.statement.opening} amount={of.opening} />
      {of.credits.length > 0 && (
        <Table
          caption={words.statement.credits}
          rows={folded(of.credits)}
          keyOf={({ id }) => id}
          columns={[
            {
              name: words.statement.credits,
              of: ({ kind, reason, at }) => (
                <>
                  {words.usage.kinds[kind]} <span className="text-soft">{reason}</span>
                  <span className="block text-soft text-xs">
                    <Time at={at} />
                  </span>
                </>
              ),
            },
            { name: words.statement.amount, of: ({ change }) => <Money of={change} /> },
          ]}
        />
      )}
      {of.models.length > 0 && (
        <Table
          caption={words.statement.charges}
          rows={of.models}
          keyOf={({ model }) => model ?? ''}
          columns={[
            { name: words.statement.charges, of: ({ model }) => model },
            { name: words.usage.executions, of: ({ executions }) => number(executions) },
            { name: words.statement.amount, of: ({ cost }) => <Money of={cost} /> },
          ]}
        />
      )}
      {of.elsewhere !== '0.00' && <Sum name={words.statement.elsewhere} amount={of.elsewhere} />}
      <Sum name={words.statement.charged} amount={of.charged} />
      <Sum name={of.isOver ? words.statement.closing : words.statement.untilNow} amount={of.closing} isBold />
      <p className="text-soft text-xs">
        {text.organizations.total} ({of.currency}). {words.statement.about}
      </p>
    </div>
  );
}

function Sum({ name, amount, isBold = false }: { name: string; amount: string; isBold?: boolean }) {
  return (
    <p className={`flex justify-between gap-4 border-line border-t pt-3 ${isBold ? 'font-semibold' : ''}`}>
      <span>{name}</span>
      <Money of={amount} />
    </p>
  );
}
