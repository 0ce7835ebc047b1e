import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { subtract } from '../../ui/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Facts, Money } from '../../ui/values.tsx';
import { useMissingRole } from '../access/session.tsx';
import { isIncomplete, problemsOf } from './input.ts';
import { pathOf, type useEstimate, type useRun } from './running.ts';

type Estimate = Schemas['Estimate'];

type Props = {
  estimate: ReturnType<typeof useEstimate>;
  organization: Schemas['Organization'];
  running: ReturnType<typeof useRun>;
  /** Another organization was chosen and is still being read. */
  isChanging: boolean;
};

/** What the input would cost, whether the balance is enough, and the button that runs it. */
export function Cost({ estimate, organization, running, isChanging }: Props) {
  const missingRole = useMissingRole('admin');
  const { data, error, isPlaceholderData } = estimate;
  const { data: paying } = useQuery({
    queryKey: ['organization', organization.id],
    queryFn: () => read<Schemas['OrganizationWithBalance']>(pathOf(organization.id)),
  });
  const available = paying?.balance.available;
  const isShort = data && available !== undefined && subtract(available, data.hold_amount).startsWith('-');
  const failure = running.error ?? error;
  const spends =
    organization.test_of === null
      ? data && text.playground.spends(data.hold_amount, organization.name)
      : text.playground.free;
  return (
    <Card title={text.playground.cost}>
      {!data && !error && <Skeleton rows={2} />}
      {data && !error && (
        <div className={isPlaceholderData ? 'opacity-50' : ''}>
          <Amounts of={data} available={available} />
        </div>
      )}
      {isShort && (
        <p role="status" className="mt-3 text-bad">
          {`${text.playground.short} `}
          <Link to="/organizations/$id" params={{ id: organization.id }} className="underline">
            {text.playground.topUp(organization.name)}
          </Link>
        </p>
      )}
      {running.error === null && isIncomplete(error) ? (
        <p className="text-soft">{text.playground.incomplete}</p>
      ) : (
        failure !== null && <Refused error={failure} />
      )}
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          tone="primary"
          disabled={missingRole !== null || running.isBusy || isChanging || error !== null}
          title={missingRole ?? undefined}
        >
          {running.isBusy ? text.playground.starting : text.playground.run}
        </Button>
        <span className="text-soft text-xs">{missingRole ?? spends}</span>
      </div>
    </Card>
  );
}

function Amounts({ of, available }: { of: Estimate; available: string | undefined }) {
  return (
    <>
      <Facts
        of={[
          [text.execution.estimate, <Money key="estimate" of={of.estimated_cost} />],
          [text.execution.hold, <Money key="hold" of={of.hold_amount} />],
          [text.execution.available, <Money key="available" of={available} />],
        ]}
      />
      <p className="mt-2 text-soft text-xs">{of.items.map(writtenItem).join(' + ')}</p>
    </>
  );
}

function writtenItem({
  quantity,
  unit,
  input,
  unit_price: price,
  amount,
}: Estimate['items'][number]): string {
  const counted = input === undefined ? unit : `${unit} (${input})`;
  return `${quantity} ${counted} × ${price} = ${amount}`;
}

function Refused({ error }: { error: unknown }) {
  const problems = problemsOf(error);
  if (problems.length === 0) return <Problem error={error} />;
  return (
    <div role="alert">
      <p className="font-medium text-bad">{text.playground.invalid}</p>
      <ul className="mt-1 list-inside list-disc text-bad text-xs">
        {problems.map(({ field, message }) => (
          <li key={`${field} ${message}`}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
