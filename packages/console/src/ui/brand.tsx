import mark from '../../../domain/src/brand/mark.svg';
import { text } from '../strings/shared.ts';

export { mark };

/** The mark and the name of the product. */
export function Brand() {
  return (
    <span className="flex items-center gap-2 font-semibold text-base">
      <img src={mark} alt="" className="size-6" />
      {text.product}
    </span>
  );
}
