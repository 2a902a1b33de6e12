import { clsx } from 'clsx';
import Link from 'next/link';
import type { ComponentProps, ReactNode } from 'react';

const LOOKS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-line hover:bg-hover',
  quiet: 'border-transparent text-ink-soft hover:bg-hover hover:text-ink',
  danger: 'bg-bad text-on-accent hover:bg-bad-strong border-transparent',
} as const;
const SIZES = {
  small: 'h-7 px-2 text-sm gap-1.5',
  medium: 'h-9 px-3 text-base gap-2',
} as const;

interface Look {
  readonly look?: keyof typeof LOOKS;
  readonly size?: keyof typeof SIZES;
}

export function buttonClass({ look = 'plain', size = 'medium' }: Look): string {
  return clsx(
    'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap',
    'transition-colors disabled:pointer-events-none disabled:opacity-55 aria-disabled:opacity-55',
    '[&_svg]:size-4 [&_svg]:shrink-0',
    LOOKS[look],
    SIZES[size],
  );
}

type ButtonProps = ComponentProps<'button'> & Look & { readonly busy?: boolean };

/** A busy button keeps its label and focus, and ignores clicks. */
export function Button({ look, size, busy = false, className, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      className={clsx(buttonClass({ ...(look && { look }), ...(size && { size }) }), className)}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

export function LinkButton({ look, size, className, ...rest }: ComponentProps<typeof Link> & Look) {
  const own = buttonClass({ ...(look && { look }), ...(size && { size }) });
  return <Link {...rest} className={clsx(own, className)} />;
}

type IconButtonProps = Omit<ButtonProps, 'children'> & {
  readonly label: string;
  readonly children: ReactNode;
};

/** An icon button. Its label is the accessible name and the tooltip. */
export function IconButton({ label, size, className, ...rest }: IconButtonProps) {
  return (
    <Button
      look="quiet"
      {...rest}
      aria-label={label}
      title={label}
      className={clsx(size === 'small' ? 'h-7 w-7' : 'h-9 w-9', 'px-0', className)}
    />
  );
}
