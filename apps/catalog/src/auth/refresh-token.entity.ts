import { rest } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { User } from '../entities/user.entity';

/**
 * One link of a session's chain of refresh tokens. A token used twice was stolen, so its whole
 * family is revoked.
 */
@Entity('refresh_token')
@Unique(['tokenSha256'])
@Index(['userId'])
@Index(['familyId'])
@Index(['expiresAt'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
@Check('refresh_token_method_check', oneOf('method', rest.SESSION_METHODS))
export class RefreshToken {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  userId!: string;

  @Column('uuid')
  familyId!: string;

  @Column('bytea')
  tokenSha256!: Buffer;

  @Column('timestamptz')
  expiresAt!: Date;

  /** When it was exchanged for its successor. */
  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  /**
   * When the session began, copied from token to token; null for sessions older than this column.
   */
  @Column('timestamptz', { nullable: true })
  sessionStartedAt!: Date | null;

  @Column('text', { nullable: true })
  method!: rest.SessionMethod | null;

  @Column('text', { nullable: true })
  userAgent!: string | null;

  @Column('text', { nullable: true })
  remoteAddress!: string | null;
}
