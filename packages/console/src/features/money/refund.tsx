import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change, newIdempotencyKey, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { textIn } from '../../ui/formData.ts';
import { useMissingRole } from '../access/session.tsx';
import { AmountField, positive } from './amountField.tsx';

/** Returns what an execution was charged, or less. The key lasts until it is made, so that a repeat refunds once. */
export function Refund({ of }: { of: Schemas['ExecutionWithAttempts'] }) {
  const client = useQueryClient();
  const missingRole = useMissingRole('admin');
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const refund = async (form: FormData) => {
    const [amount, reason] = [textIn(form, 'amount'), textIn(form, 'reason')];
    const body = { amount, ...(reason && { reason }) };
    await change('POST', `/executions/${of.id}/refund`, { body, idempotencyKey });
    setKey(newIdempotencyKey());
    await client.invalidateQueries();
  };
  return (
    <FormDialog
      label={text.execution.refund}
      title={text.execution.refundTitle}
      tone="plain"
      disabledBecause={missingRole}
      submit={refund}
    >
      <p className="text-soft">{text.execution.refundAbout}</p>
      <AmountField
        label={text.execution.refundAmount(of.refundable)}
        pattern={positive}
        value={of.refundable}
      />
      <Field label={text.execution.refundReason}>
        <input name="reason" maxLength={500} autoComplete="off" className={inputLook} />
      </Field>
    </FormDialog>
  );
}
