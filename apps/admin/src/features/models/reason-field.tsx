import type { ComponentProps } from 'react';

import { TextField } from '../../design/text-field';

type ReasonFieldProps = Omit<ComponentProps<typeof TextField>, 'label' | 'hint' | 'maxLength'>;

/** Why the price of booked requests is wrong, for the operator who decides. */
export function ReasonField(props: ReasonFieldProps) {
  return (
    <TextField
      label="Reason"
      hint="The operator reads it, and it is stored with every correction."
      maxLength={500}
      {...props}
    />
  );
}
