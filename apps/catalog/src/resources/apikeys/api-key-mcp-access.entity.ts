import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { McpServer, type StoredMcpRules } from '../../entities/mcp-server.entity';

/** Grants an MCP server to a key, within the grant's rules. */
@Entity('api_key_mcp_access')
@Index(['mcpServerId'])
@ForeignKey(() => ApiKey, ['organisationId', 'apiKeyId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@ForeignKey(() => McpServer, ['organisationId', 'mcpServerId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
export class ApiKeyMcpAccess {
  @PrimaryColumn('uuid')
  apiKeyId!: string;

  @PrimaryColumn('uuid')
  mcpServerId!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('jsonb', { default: {} })
  rules!: StoredMcpRules;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
