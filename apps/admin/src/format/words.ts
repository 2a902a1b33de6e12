/** "ORG_ADMIN" → "Org admin", "MCP_SERVER" → "MCP server". */
export function sentence(constant: string): string {
  const words = constant.toLowerCase().replaceAll('_', ' ');
  const first = words.charAt(0).toUpperCase() + words.slice(1);
  return first.replaceAll(/\b(api|mcp)\b/gi, (abbreviation) => abbreviation.toUpperCase());
}
