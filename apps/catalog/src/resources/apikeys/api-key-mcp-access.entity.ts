import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { McpServer } from '../../entities/mcp-server.entity';

/** Grants an MCP server to a key. */
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

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
