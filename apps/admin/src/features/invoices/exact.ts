/** All decimal places: invoices are exact. */
export function exact(amount: string): string {
  return amount.startsWith('-') ? `−$${amount.slice(1)}` : `$${amount}`;
}
