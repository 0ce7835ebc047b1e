import { Link, useNavigate } from '@tanstack/react-router';
import { CompletedOverTime, OverTime, useMoney } from '../features/money/overTime.tsx';
import { fieldTime, type overviewRanges } from '../features/search/filters.ts';
import { text } from '../strings.ts';
import { share } from '../ui/amounts.ts';
import { Card, Tile, tileLook } from '../ui/card.tsx';
import { largest, Meter } from '../ui/charts.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Money } from '../ui/values.tsx';

/** More are on the page Money. */
const maxShown = 10;

type Range = Exclude<(typeof overviewRanges)[number], 'hour'>;

/** Leads to the page Money of the hour or day that is clicked. */
export function MoneyCard({ range }: { range: Range }) {
  const navigate = useNavigate();
  const show = (period: { from: string; to: string }) =>
    void navigate({ to: '/money', search: { range: 'custom', ...period } });
  const whoSpends = (
    <Link to="/organizations" search={{ sort: 'spend' }} className="underline">
      {text.money.whoSpends}
    </Link>
  );
  return <OverTime title={text.overview.money[range]} search={{ range }} onPick={show} aside={whoSpends} />;
}

/** What a longer range brought in, beside what ran in it: all of it counted. */
export function Period({ range }: { range: Range }) {
  const navigate = useNavigate();
  const { data } = useMoney({ range });
  if (!data) return <Skeleton rows={12} />;
  if (data.data.length === 0) return <Empty title={text.money.none} hint={text.list.emptyHint} />;
  const { from: begin, total } = data;
  const from = fieldTime(begin);
  const tiles = [
    [text.money.executions, total.executions.toLocaleString()],
    [text.money.revenue, total.revenue],
    [text.money.margin, total.margin],
    [text.money.lost, total.lost],
  ] as const;
  return (
    <>
      <ul className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {tiles.map(([name, value], index) => (
          <li key={name}>
            <Link
              {...(index === 0
                ? { to: '/executions', search: { status: 'COMPLETED', from } }
                : { to: '/money', search: { range } })}
              className={tileLook}
            >
              <Tile name={name} value={value} isBad={index === 3 && Number(value) > 0} />
            </Link>
          </li>
        ))}
      </ul>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <CompletedOverTime
          title={text.overview.completedOverTime}
          search={{ range }}
          onPick={(period) => void navigate({ to: '/executions', search: period })}
        />
        <MoneyCard range={range} />
        <Earners range={range} by="model" />
        <Earners range={range} by="organization" />
      </div>
    </>
  );
}

function Earners({ range, by }: { range: Range; by: 'model' | 'organization' }) {
  const { data } = useMoney({ range, by });
  if (data?.group_by !== by) return null;
  const title = text.overview.by[by];
  const from = fieldTime(data.from);
  const max = largest(data.data.map(({ revenue }) => revenue));
  return (
    <Card title={title}>
      <Table
        caption={title}
        rows={data.data.slice(0, maxShown)}
        keyOf={({ group }) => group ?? ''}
        columns={[
          {
            name: text.money.groups[by],
            of: ({ group, name, revenue }) => (
              <>
                <Link
                  to="/executions"
                  search={{ [by]: group ?? '', from }}
                  className="wrap-anywhere hover:underline"
                >
                  {name ?? group}
                </Link>
                <Meter share={share(revenue, max)} />
              </>
            ),
          },
          { name: text.money.executions, of: ({ executions }) => executions.toLocaleString() },
          { name: text.money.revenue, of: ({ revenue }) => <Money of={revenue} /> },
          { name: text.money.margin, of: ({ margin }) => <Money of={margin} /> },
        ]}
      />
    </Card>
  );
}
