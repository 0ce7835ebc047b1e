import { text } from '../../strings.ts';
import { Field, inputLook } from '../../ui/field.tsx';

export const positive = '\\d+(\\.\\d{1,8})?';

/** A field `amount` for a decimal with a point, which is kept as it is typed. */
export function AmountField(props: {
  label?: string;
  pattern: string;
  isRequired?: boolean;
  placeholder?: string;
  value?: string | undefined;
}) {
  const { label = text.organizations.amount, pattern, isRequired = true, placeholder, value } = props;
  return (
    <Field label={label}>
      <input
        name="amount"
        required={isRequired}
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
