import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { change, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { useMissingRole } from '../access/session.tsx';
import { DeliveryView } from './delivery.tsx';

/** One delivery, which operators may send again. `stale`: what to read again afterwards. */
export function DeliveryRow(props: {
  delivery: Schemas['Delivery'];
  organizationId: string;
  body: string | null;
  isErased?: boolean;
  stale: readonly unknown[];
}) {
  const { delivery, organizationId, body, isErased = false, stale } = props;
  const client = useQueryClient();
  const missingRole = useMissingRole('support');
  const redeliver = async () => {
    await change('POST', `/organizations/${organizationId}/webhooks/deliveries/${delivery.id}/redeliver`);
    await client.invalidateQueries({ queryKey: stale });
  };
  const name = (
    <Link
      to="/webhooks/deliveries/$id"
      params={{ id: delivery.id }}
      className="rounded underline decoration-soft"
    >
      {delivery.event_type}
    </Link>
  );
  return (
    <DeliveryView
      delivery={delivery}
      name={name}
      body={body}
      disabledBecause={isErased ? text.webhooks.erased : missingRole}
      redeliver={redeliver}
    />
  );
}
