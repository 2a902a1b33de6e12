import { newTenant, type Gateway, type Tenant } from '..';

export const CLAUDE = 'claude-sonnet-4-6';
/** Claude Code asks it for titles and summaries. */
export const CLAUDE_SMALL = 'claude-haiku-4-5';
export const CODEX = 'gpt-5-codex';

/** An organisation with the models that the agents ask for, and a key for them. */
export async function agentsTenant(
  gateway: Pick<Gateway, 'rest' | 'simulatorUrl'>,
): Promise<{ tenant: Tenant; key: string }> {
  const tenant = await newTenant(gateway);
  const anthropic = await tenant.create('providers', {
    name: 'anthropic',
    type: 'PROVIDER_B',
    baseUrl: gateway.simulatorUrl,
    apiKey: `sk-sim-${tenant.slug}`,
  });
  const ofAnthropic = { providerId: anthropic.id, contextTokens: 1_000_000 };
  const modelIds = [
    await tenant.model(CLAUDE, 'sim-claude-sonnet-4-6', ofAnthropic),
    await tenant.model(CLAUDE_SMALL, 'sim-claude-haiku-4-5', ofAnthropic),
    await tenant.model(CODEX, 'sim-gpt-5-codex', { contextTokens: 1_000_000 }),
  ];
  const { key } = await tenant.key({ modelIds });
  return { tenant, key };
}
