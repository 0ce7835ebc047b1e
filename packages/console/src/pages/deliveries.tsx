import { useQueryClient } from '@tanstack/react-query';
import { change, type Schemas } from '../api.ts';
import { DeliveryView } from '../delivery.tsx';
import { useRefusal } from '../session.tsx';

/** One delivery, which operators may send again. `stale`: what to read again afterwards. */
export function DeliveryRow(props: {
  delivery: Schemas['Delivery'];
  organizationId: string;
  body: string | null;
  stale: readonly unknown[];
}) {
  const { delivery, organizationId, body, stale } = props;
  const client = useQueryClient();
  const refusal = useRefusal('support');
  const redeliver = async () => {
    await change('POST', `/organizations/${organizationId}/webhooks/deliveries/${delivery.id}/redeliver`);
    await client.invalidateQueries({ queryKey: stale });
  };
  return <DeliveryView delivery={delivery} body={body} refusal={refusal} redeliver={redeliver} />;
}
