import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { change, read, type Schemas } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { OrganizationLink } from '../features/organizations/organizations.tsx';
import { nextOf } from '../features/webhooks/delivery.tsx';
import { Facts } from '../features/webhooks/webhookParts.tsx';
import { parseJson } from '../json.ts';
import { text } from '../strings.ts';
import { Card } from '../ui/card.tsx';
import { Confirmed } from '../ui/dialog.tsx';
import { duration } from '../ui/format.ts';
import { Heading } from '../ui/heading.tsx';
import { keptFilters } from '../ui/lists.tsx';
import { Empty, UntilRead } from '../ui/states.tsx';
import { Code, Id, Status, Time } from '../ui/values.tsx';

type Delivery = Schemas['DeliveryWithBody'];
type DeliveryAttempt = Schemas['DeliveryAttempt'];

/** A pending delivery is read again this often. */
const liveMs = 2000;

export function WebhookDelivery() {
  const { id } = useParams({ from: '/webhooks/deliveries/$id' });
  const query = useQuery({
    queryKey: ['delivery', id],
    queryFn: () => read<Delivery>(`/webhooks/deliveries/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? liveMs : false),
  });
  const { data } = query;
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link
          to="/webhooks/deliveries"
          search={keptFilters('/webhooks/deliveries')}
          className="hover:underline"
        >{`← ${text.webhooks.deliveries}`}</Link>
      </nav>
      <UntilRead of={query} title={id} />
      {data && <Details of={data} />}
    </>
  );
}

function Details({ of }: { of: Delivery }) {
  const client = useQueryClient();
  const missingRole = useMissingRole('support');
  const redeliver = async () => {
    await change('POST', `/organizations/${of.organization_id}/webhooks/deliveries/${of.id}/redeliver`);
    await client.invalidateQueries({ queryKey: ['delivery', of.id] });
  };
  return (
    <>
      <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <Heading title={`${of.event_type} ${of.id}`}>{of.event_type}</Heading>
          <p className="flex flex-wrap items-center gap-x-3">
            <Status of={of.status} />
            <Id of={of.id} />
          </p>
        </div>
        <Confirmed
          label={text.execution.redeliver}
          question={text.webhooks.redeliverQuestion(of.url)}
          disabledBecause={missingRole ?? (of.body === null ? text.webhooks.erased : null)}
          act={redeliver}
        />
      </header>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] xl:items-start">
        <div className="min-w-0 space-y-4">
          <Card title={text.webhooks.delivery}>
            <FactsOf of={of} />
          </Card>
          <Card title={text.execution.request}>
            {of.body === null ? (
              <Empty title={text.webhooks.erased} />
            ) : (
              <Code of={indented(of.body)} label={text.execution.request} />
            )}
          </Card>
        </div>
        <Card title={text.webhooks.attemptsTitle}>
          {of.attempts.length === 0 && (
            <Empty title={text.webhooks.noAttempt} hint={text.webhooks.noAttemptHint} />
          )}
          <ol className="space-y-4">
            {of.attempts.toReversed().map((attempt) => (
              <DeliveryAttemptDetails
                key={attempt.number}
                of={attempt}
                isOpen={of.status === 'pending' && attempt === of.attempts.at(-1)}
              />
            ))}
          </ol>
        </Card>
      </div>
    </>
  );
}

/** Indented to be read; what is sent has no spaces. */
function indented(body: string): string {
  try {
    return JSON.stringify(parseJson(body), null, 2);
  } catch {
    return body;
  }
}

function FactsOf({ of }: { of: Delivery }) {
  return (
    <Facts
      of={[
        [text.webhooks.url, of.url],
        [text.list.organization, <OrganizationLink key="organization" id={of.organization_id} />],
        ...(of.endpoint_id
          ? [
              [
                text.webhooks.endpoint,
                <Link
                  key="endpoint"
                  to="/webhooks/endpoints/$id"
                  params={{ id: of.endpoint_id }}
                  className="underline decoration-soft"
                >
                  <Id of={of.endpoint_id} />
                </Link>,
              ] as const,
            ]
          : []),
        ...(of.execution_id
          ? [
              [
                text.list.execution,
                <Link
                  key="execution"
                  to="/executions/$id"
                  params={{ id: of.execution_id }}
                  className="underline decoration-soft"
                >
                  <Id of={of.execution_id} />
                </Link>,
              ] as const,
            ]
          : []),
        [text.webhooks.eventId, <Id key="event" of={of.event_id} />],
        [text.organizations.created, <Time key="created" at={of.created_at} />],
        [nextOf(of.next_attempt_at), <Time key="next" at={of.next_attempt_at} />],
        [text.webhooks.finished, <Time key="finished" at={of.finished_at} />],
        [text.webhooks.expires, <Time key="expires" at={of.expires_at} />],
      ]}
    />
  );
}

/** `isOpen`: its delivery is pending, and it is the last. An earlier one without a response was interrupted. */
function DeliveryAttemptDetails({ of, isOpen }: { of: DeliveryAttempt; isOpen: boolean }) {
  const isSending = isOpen && of.duration_ms === null && of.error === null;
  const look = isSending
    ? 'text-busy'
    : of.error === null && of.status_code !== null
      ? 'text-good'
      : 'text-bad';
  return (
    <li>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{`#${of.number}`}</span>
        <span className={`font-medium ${look}`}>
          {of.status_code ??
            of.error_stage ??
            (isSending ? text.webhooks.noResponseYet : text.webhooks.noResponse)}
        </span>
        <span className="text-soft">{duration(of.duration_ms)}</span>
        <span className="text-soft">
          <Time at={of.started_at} />
        </span>
      </p>
      {of.error && <p className="mt-1 break-words text-bad">{of.error}</p>}
      <div className="mt-1.5">
        {of.response ? (
          <Code of={of.response} label={`${text.execution.response} #${of.number}`} />
        ) : (
          !isSending && <p className="text-soft text-xs">{text.execution.noResponse}</p>
        )}
      </div>
    </li>
  );
}
