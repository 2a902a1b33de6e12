/** "ORG_ADMIN" → "Org admin". */
export function sentence(constant: string): string {
  const words = constant.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
