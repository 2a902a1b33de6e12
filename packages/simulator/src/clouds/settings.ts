// What the clouds accept; tests set it.

export type CloudName = 'google' | 'azure' | 'aws';

export interface CloudSettings {
  /** Public keys of service accounts in PEM, by their address. */
  googleKeys: Record<string, string>;
  /** Secrets of Entra clients, by their ids. */
  entraClients: Record<string, string>;
  /** Tokens of files that are accepted from workloads. */
  subjectTokens: string[];
  /** Secrets of access keys, by their ids. */
  awsKeys: Record<string, string>;
  /** Bedrock API keys. */
  awsBearers: string[];
  /** Whether identities may list models. */
  mayList: boolean;
  lifetimeS: number;
}
