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
 * One link of a sign-in's chain of refresh tokens. A token used twice gives a theft away: the
 * whole family is then revoked.
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

  /** When it was exchanged for the next one. */
  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  /** Of the sign-in, told from token to token; null for one that began before it was kept. */
  @Column('timestamptz', { nullable: true })
  sessionStartedAt!: Date | null;

  @Column('text', { nullable: true })
  method!: rest.SessionMethod | null;

  @Column('text', { nullable: true })
  userAgent!: string | null;

  @Column('text', { nullable: true })
  remoteAddress!: string | null;
}
