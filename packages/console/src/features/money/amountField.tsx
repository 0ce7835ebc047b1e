import { text } from '../../strings.ts';
import { Field, inputLook } from '../../ui/field.tsx';

export const positive = '\\d+(\\.\\d{1,8})?';

/** A field `amount` for a decimal with a point, which is kept as it is typed. */
export function AmountField(props: { pattern: string; placeholder?: string; value?: string | undefined }) {
  const { pattern, placeholder, value } = props;
  return (
    <Field label={text.organizations.amount}>
      <input
        name="amount"
        required
        inputMode="decimal"
        title={text.organizations.amountHint}
        pattern={pattern}
        placeholder={placeholder}
        defaultValue={value}
        autoComplete="off"
        className={inputLook}
      />
    </Field>
  );
}
