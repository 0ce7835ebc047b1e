import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Card } from '../../ui/card.tsx';
import { AmountBars } from '../../ui/charts.tsx';
import { inputLook } from '../../ui/field.tsx';
import { liveSumMs } from '../../ui/intervals.ts';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Facts, Money } from '../../ui/values.tsx';

type Grouping = 'day' | 'model';
type Row = Schemas['Usage']['data'][number];

const dayMs = 86_400_000;
const days = 30;

/** What the executions that completed in the last days cost, by day or model. */
export function Usage({ id }: { id: string }) {
  const [groupBy, setGroupBy] = useState<Grouping>('day');
  const { data, error, isPending } = useQuery({
    queryKey: ['usage', id, groupBy],
    queryFn: () => {
      const from = new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
      return read<Schemas['Usage']>(`/organizations/${id}/usage`, { from, group_by: groupBy });
    },
    refetchInterval: liveSumMs,
  });
  const rows = data?.data ?? [];
  return (
    <Card
      title={text.usage.title(days)}
      aside={
        <label>
          <span className="sr-only">{text.usage.groupBy}</span>
          <select
            value={groupBy}
            onChange={({ currentTarget }) => setGroupBy(currentTarget.value as Grouping)}
            className={inputLook}
          >
            <option value="day">{text.usage.byDay}</option>
            <option value="model">{text.usage.byModel}</option>
          </select>
        </label>
      }
    >
      {isPending && <Skeleton rows={3} />}
      {error && <Problem error={error} />}
      {data && (
        <Facts
          of={[
            [text.usage.executions, data.total.executions.toLocaleString()],
            [text.usage.cost, <Money key="cost" of={data.total.cost} />],
            [text.usage.inputTokens, data.total.input_tokens.toLocaleString()],
            [text.usage.outputTokens, data.total.output_tokens.toLocaleString()],
          ]}
        />
      )}
      {data && rows.length === 0 && <p className="mt-3 text-soft">{text.usage.empty}</p>}
      {rows.length > 0 && (
        <div className="mt-4">
          <AmountBars
            label={text.usage.costBy[groupBy]}
            rows={rows.map((row) => ({ name: nameOf(row), amount: row.cost }))}
          />
        </div>
      )}
    </Card>
  );
}

const nameOf = ({ day, model }: Row): string => day ?? model ?? '';
