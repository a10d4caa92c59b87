# SPDX-License-Identifier: MIT
# Generated from the headers by scripts/bind-python.
"""The enumerations of the library."""
from enum import IntEnum, IntFlag

__all__ = [
    "BeforeCall",
    "Shape",
    "Visibility",
    "Lack",
    "ChatosDir",
    "ChatosFlag",
    "ChatosFlow",
    "ChatosKind",
    "Transport",
    "ConfigServerState",
    "DiagnosticSeverity",
    "ConfigHash",
    "ConfigChange",
    "ConfigSize",
    "Era",
    "RunState",
    "Enum",
    "ErrorCode",
    "EventKind",
    "FilterVerdict",
    "GoclawFlag",
    "ToolsetFlag",
    "InstanceState",
    "LogLevel",
    "AuthMode",
    "LoginFlow",
    "TokenStore",
    "LoginState",
    "PluginKind",
    "PluginState",
    "Option",
    "Deny",
    "Timeout",
    "ItemTypes",
    "Manuals",
    "Names",
    "Holders",
    "AllowedTransport",
    "GuardMode",
    "Containment",
    "LastGood",
    "Scope",
    "MessageLevel",
    "Removed",
    "ReloadMode",
    "Drain",
    "InheritedEnv",
    "Collision",
    "ArgumentsCheck",
    "ResultsCheck",
    "Severity",
    "ProblemsFlag",
    "Profile",
    "Feature",
    "RequestKind",
    "Rejection",
    "ContentKind",
    "Failure",
    "RetryStrategy",
    "Modality",
    "SchemaVerdict",
    "SchemaOption",
    "SchemaDraft",
    "SchemaFlag",
    "ServerState",
    "TaskStatus",
    "Part",
    "ResourceTool",
]


class BeforeCall(IntEnum):
    """The decisions of mcphost_before_call_fn."""

    GO = 0
    LATER = 1


class Shape(IntEnum):
    """The forms of a tool list in JSON."""

    MCP = 0
    OPENAI_CHAT = 1
    OPENAI_RESPONSES = 2
    ANTHROPIC = 3
    GEMINI = 4


class Visibility(IntEnum):
    """The callers of a tool, as flags."""

    MODEL = 1
    APPS = 2


class Lack(IntEnum):
    """The reasons why a name in a grant gives nothing."""

    UNKNOWN = 1
    DOWN = 2
    DISABLED = 3
    INVALID = 4
    CONFIG_INVALID = 5
    NOT_ASSIGNABLE = 6


class ChatosDir(IntEnum):
    """The directories of a registry."""

    PLUGINS = 0
    BUILTIN_PLUGINS = 1
    DEFAULTS = 2
    STATE = 3
    PROJECT = 4
    SESSION = 5


class ChatosFlag(IntFlag):
    """Flags of mcphost_chatos_set_flags()."""

    SUBSTITUTE = 1
    IDENTITY = 2
    BARE = 4
    ANY_ID = 8


class ChatosFlow(IntEnum):
    """The kind of agent that uses a server or prompt."""

    MAIN = 0
    SUB = 1


class ChatosKind(IntEnum):
    """The kind of a record that the application stores."""

    SERVER = 1
    PROMPT = 2


class Transport(IntEnum):
    """The transport over which the host reaches a server."""

    NONE = 0
    STDIO = 1
    STREAMABLE_HTTP = 2
    SSE = 3
    IN_PROCESS = 4


class ConfigServerState(IntEnum):
    """The state of a server's entry."""

    VALID = 0
    INVALID = 1
    DISABLED = 2


class DiagnosticSeverity(IntEnum):
    """The severity of a diagnostic."""

    ERROR = 1
    WARNING = 2


class ConfigHash(IntEnum):
    """The two hashes of a server."""

    LAUNCH = 0
    VIEW = 1


class ConfigChange(IntEnum):
    """The action that an edit of a server's entry requires."""

    NONE = 0
    VIEW = 1
    LAUNCH = 2


class ConfigSize(IntEnum):
    """Sizes of texts."""

    HASH_SIZE = 65


class Era(IntEnum):
    """The eras of the protocol: groups of revisions that begin a connection in the same way."""

    AUTO = 0
    LEGACY = 1
    MODERN = 2


class RunState(IntEnum):
    """Run states of a dialog."""

    RUNNING = 0
    STOPPED = 1


class Enum(IntEnum):
    """The enumerations."""

    ENUM = 1
    ERROR_CODE = 2
    LOG_LEVEL = 3
    EVENT_KIND = 4
    OPTION = 5
    TIMEOUT = 6
    DRAIN = 7
    ITEM_TYPES = 8
    MANUALS = 9
    NAMES = 10
    HOLDERS = 11
    ALLOWED_TRANSPORT = 12
    GUARD_MODE = 13
    CONTAINMENT = 14
    LAST_GOOD = 15
    SCOPE = 16
    REMOVED = 17
    RELOAD_MODE = 18
    INHERITED_ENV = 19
    COLLISION = 20
    ARGUMENTS_CHECK = 21
    RESULTS_CHECK = 22
    TRANSPORT = 23
    ERA = 24
    CONFIG_SERVER_STATE = 25
    CONFIG_HASH = 26
    CONFIG_CHANGE = 27
    CONFIG_SIZE = 28
    DIAGNOSTIC_SEVERITY = 29
    FILTER_VERDICT = 30
    SHAPE = 31
    PROFILE = 32
    LACK = 33
    TOOLSET_FLAG = 34
    RUN_STATE = 35
    SERVER_STATE = 36
    INSTANCE_STATE = 37
    SEVERITY = 38
    PROBLEMS_FLAG = 39
    REQUEST_KIND = 40
    REJECTION = 41
    CONTENT_KIND = 42
    FAILURE = 43
    RETRY_STRATEGY = 44
    SCHEMA_VERDICT = 45
    SCHEMA_OPTION = 46
    SCHEMA_DRAFT = 47
    SCHEMA_FLAG = 48
    BEFORE_CALL = 49
    MODALITY = 50
    MESSAGE_LEVEL = 51
    RESOURCE_TOOL = 52
    TASK_STATUS = 53
    VISIBILITY = 54
    FEATURE = 55
    DENY = 56
    PLUGIN_KIND = 57
    PLUGIN_STATE = 58
    CHATOS_DIR = 59
    CHATOS_FLAG = 60
    CHATOS_FLOW = 61
    CHATOS_KIND = 62
    GOCLAW_FLAG = 63
    PART = 64
    AUTH_MODE = 65
    LOGIN_FLOW = 66
    TOKEN_STORE = 67
    LOGIN_STATE = 68


class ErrorCode(IntEnum):
    """The error codes."""

    INVALID = -1
    STATE = -2
    BUSY = -3
    CLOSED = -4
    FORKED = -5
    NOTFOUND = -6
    EXISTS = -7
    UNSUPPORTED = -8
    NOMEM = -20
    IO = -21
    SPAWN = -22
    LIMIT = -23
    TIMEOUT = -40
    CANCELLED = -41
    WOKEN = -42
    PROTOCOL = -60
    TRANSPORT = -61
    AUTH = -62
    RPC = -63
    GONE = -64
    CONFIG = -80
    DENIED = -100


class EventKind(IntEnum):
    """The kinds of events."""

    READY = 1
    CATALOG = 2
    SERVER = 3
    INSTANCE = 4
    LEASE = 5
    REMINDER = 6
    PROBLEM = 7
    LOG = 8
    PROGRESS = 9
    CLOSED = 10
    CONFIG = 11
    SETTLED = 14
    SOURCE = 13
    SUBSCRIPTION = 15
    UPDATED = 16
    TASK = 17
    SERVING = 18
    PLUGINS = 19
    REQUEST = 12


class FilterVerdict(IntEnum):
    """The decision of a filter about a name."""

    PASSED = 0
    BLACKLISTED = 1
    NOT_WHITELISTED = 2


class GoclawFlag(IntFlag):
    """Flags of the functions below."""

    SHOW_SECRETS = 1
    ANY_VERSION = 2
    CONFINED = 4
    WITH_DISABLED = 8


class ToolsetFlag(IntFlag):
    """Flags of a toolset: restrictions on how grants may give the toolset."""

    NOT_ASSIGNABLE = 1
    NOT_BY_STAR = 2


class InstanceState(IntEnum):
    """States of an instance (one connection to a server)."""

    STARTING = 1
    READY = 2
    CLOSING = 3
    DEAD = 4


class LogLevel(IntEnum):
    """The levels."""

    NONE = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    DEBUG = 4
    TRACE = 5


class AuthMode(IntEnum):
    """How a server gets its credentials: the key `auth` of its entry."""

    AUTO = 0
    NONE = 1
    HEADERS = 2
    OAUTH = 3


class LoginFlow(IntEnum):
    """The flow by which a server gets its tokens: the key `auth.flow` of its entry."""

    AUTO = 0
    BROWSER = 1
    DEVICE = 2
    CLIENT_CREDENTIALS = 3
    JWT_BEARER = 4
    TOKEN_EXCHANGE = 5


class TokenStore(IntEnum):
    """Where a host keeps tokens."""

    MEMORY = 0
    FILE = 1


class LoginState(IntEnum):
    """The state of a login."""

    VALID = 1
    RENEWABLE = 2
    EXPIRED = 3


class PluginKind(IntEnum):
    """The kinds of plugins: the features that a plugin can add."""

    RESOURCE = 1
    PROMPT = 2
    TOOL = 3
    SAMPLING = 4


class PluginState(IntEnum):
    """The states of a plugin."""

    LOADING = 1
    LOADED = 2
    FAILED = 3
    DISABLED = 4
    ENDING = 5


class Option(IntEnum):
    """The options of mcphost_set_option()."""

    START_TIMEOUT = 1
    LIST_TIMEOUT = 2
    CALL_TIMEOUT = 3
    PROBE_TIMEOUT = 4
    DRAIN_TIMEOUT = 5
    STOP_EOF = 6
    STOP_TERM = 7
    FIRST_LEASE_WAIT = 8
    RESTART_DELAY = 9
    RELOAD_DEBOUNCE = 10
    RELOAD_POLL = 11
    LEASE_IDLE = 12
    PING = 13
    PING_TIMEOUT = 14
    CRASH_WINDOW = 15
    REQUEST_TIMEOUT = 16
    WAIT_STARTING = 17
    TASK_TIMEOUT = 18
    CONCURRENT_STARTS = 20
    CALLS_IN_FLIGHT = 21
    QUEUED_CALLS = 22
    MESSAGE_BYTES = 23
    LIST_PAGES = 24
    LIST_TOOLS = 25
    TEXT_SPILL = 26
    SPOOL_BYTES = 27
    CACHE_BYTES = 28
    SAMPLING_OPEN = 32
    SAMPLING_RATE = 33
    SAMPLING_DEPTH = 34
    SCHEMA_STEPS = 35
    TOOL_TEXT = 36
    HELD_BYTES = 38
    ARTIFACT_FILES = 39
    INHERIT_ENV = 40
    COLLISION = 41
    ARGUMENTS = 42
    GUARD = 43
    WARDEN = 44
    ADMIN_TOOLS = 45
    RETRY = 46
    RELOAD = 47
    SHOW_ENV = 48
    REMOVED = 49
    REQUESTS = 50
    LAST_GOOD = 51
    RESULTS = 52
    TRANSPORTS = 53
    HTTP_DIAGNOSIS = 54
    HOLDERS = 55
    NAMES = 56
    MANUALS = 57
    ITEM_TYPES = 60
    LEASE_SCOPE = 61
    MESSAGES = 62
    APPS = 63
    DENIED = 64
    SERVED_ERA = 65
    LOGIN_FLOW = 66


class Deny(IntFlag):
    """The values of MCPHOST_OPT_DENIED: which tools of servers are denied, by their annotations."""

    WRITING = 1
    DESTRUCTIVE = 2
    OPEN_WORLD = 4


class Timeout(IntEnum):
    """The special value of MCPHOST_OPT_CALL_TIMEOUT, MCPHOST_OPT_REQUEST_TIMEOUT and MCPHOST_OPT_TASK_TIMEOUT that is not a time."""

    NONE = -1


class ItemTypes(IntEnum):
    """The values of MCPHOST_OPT_ITEM_TYPES: the types of items that mcphost_call_make_items() makes."""

    TEXT_IMAGE = 0
    ALL = 1


class Manuals(IntEnum):
    """The values of MCPHOST_OPT_MANUALS: whether each valid server of a configuration file should have the key `manual`."""

    OPTIONAL = 0
    WANTED = 1


class Names(IntEnum):
    """The values of MCPHOST_OPT_NAMES: how the names of servers' tools are made."""

    TRANSFORMS = 0
    SERVER = 1
    FULL = 2
    CALLBACK = 3


class Holders(IntEnum):
    """The values of MCPHOST_OPT_HOLDERS: which server has the name of a tool if several servers offer a tool of this name."""

    KEEP = 0
    BY_ORDER = 1


class AllowedTransport(IntFlag):
    """The values of MCPHOST_OPT_TRANSPORTS: transports that servers may have."""

    STDIO = 1
    STREAMABLE_HTTP = 2
    SSE = 4


class GuardMode(IntEnum):
    """The values of MCPHOST_OPT_GUARD: whether stdio servers run under mcphost-guard."""

    NONE = 0
    REQUIRED = 1
    OPTIONAL = 2


class Containment(IntEnum):
    """The key `containment` of a server: the means by which all processes of the server end together with the server."""

    AUTO = 0
    TREE = 1
    CGROUP = 2
    PID = 3
    GROUP = 4


class LastGood(IntEnum):
    """The values of MCPHOST_OPT_LAST_GOOD: how the host handles an edit that does not work."""

    KEEP = 0
    NONE = 1


class Scope(IntEnum):
    """Which dialogs share an instance of a server."""

    DIALOG = 0
    AGENT = 1
    WORKSPACE = 2
    EVERYONE = 3


class MessageLevel(IntEnum):
    """The lowest level of the log messages (MCPHOST_EVENT_LOG) that a server is asked to send."""

    UNASKED = 0
    DEBUG = 1
    INFO = 2
    NOTICE = 3
    WARNING = 4
    ERROR = 5
    CRITICAL = 6
    ALERT = 7
    EMERGENCY = 8


class Removed(IntEnum):
    """The values of MCPHOST_OPT_REMOVED: which server carries out a call of a tool of a turn's catalog, if the tool's server was removed or changed since the turn began."""

    SUCCESSOR = 0
    SERVE = 1


class ReloadMode(IntEnum):
    """The values of MCPHOST_OPT_RELOAD: when the files that a source follows are read again."""

    WATCH = 0
    POLL = 1
    TURN = 2
    EXPLICIT = 3


class Drain(IntEnum):
    """The special values of MCPHOST_OPT_DRAIN_TIMEOUT that are not times."""

    AUTO = -1
    INFINITE = -2


class InheritedEnv(IntEnum):
    """The values of MCPHOST_OPT_INHERIT_ENV: which variables of the host's environment a server gets, besides the variables of the server's own `env` and of mcphost_set_env()."""

    ALL = 0
    MINIMAL = 1
    NONE = 2


class Collision(IntEnum):
    """The values of MCPHOST_OPT_COLLISION: how the host handles a server's tool whose name is taken."""

    SKIP = 0
    REJECT = 1


class ArgumentsCheck(IntEnum):
    """The values of MCPHOST_OPT_ARGUMENTS: how arguments are checked before a call."""

    OBJECT = 0
    OFF = 1
    FULL = 2
    COMPLETE = 3


class ResultsCheck(IntEnum):
    """The values of MCPHOST_OPT_RESULTS: how the structured content of an answer is checked against the tool's output schema."""

    OFF = 0
    REPORT = 1
    FAIL = 2


class Severity(IntEnum):
    """The severity of a problem."""

    INFO = 1
    WARNING = 2
    ERROR = 3


class ProblemsFlag(IntFlag):
    """Flags of mcphost_select_problems()."""

    ACTIVE = 1
    RESOLVED = 2


class Profile(IntEnum):
    """How tools are converted."""

    IDENTITY = 0
    OPENAI = 1
    OPENAI_STRICT = 2
    ANTHROPIC = 3
    GEMINI = 4
    MOONSHOT = 5


class Feature(IntEnum):
    """The kinds of features that a provider can offer."""

    TOOL = 1
    RESOURCE = 2
    TEMPLATE = 3
    PROMPT = 4


class RequestKind(IntFlag):
    """Kinds of requests."""

    FORM = 1
    URL = 2
    SAMPLING = 4
    ROOTS = 8
    SAMPLING_TOOLS = 16
    CREDENTIALS = 32
    AUTHORIZE = 64


class Rejection(IntEnum):
    """Ways to reject a request."""

    DECLINE = 1
    CANCEL = 2
    ERROR = 3


class ContentKind(IntEnum):
    """The kind of a content item."""

    UNKNOWN = 0
    TEXT = 1
    IMAGE = 2
    AUDIO = 3
    RESOURCE = 4
    RESOURCE_LINK = 5


class Failure(IntEnum):
    """Kinds of failures."""

    FATAL = 0
    REJECTED = 1
    RATE = 2
    TRANSIENT = 3


class RetryStrategy(IntEnum):
    """Strategies: how often and when to try again."""

    STANDARD = 0
    AGGRESSIVE = 1
    SMART_RATE = 2
    CONSERVATIVE = 3


class Modality(IntFlag):
    """The content that a model accepts besides text, to be combined with |."""

    IMAGES = 1
    AUDIO = 2
    TOOLS = 4


class SchemaVerdict(IntEnum):
    """The decision of a schema about a value."""

    VALID = 0
    INVALID = 1


class SchemaOption(IntEnum):
    """Options of a schema, set before it is compiled."""

    DRAFT = 1
    FORMATS = 2
    MAX_ERRORS = 3
    MAX_DEPTH = 4
    MAX_STEPS = 5
    MAX_MS = 6
    MAX_SIZE = 7
    MAX_SUBSCHEMAS = 8
    MAX_VALUES = 9


class SchemaDraft(IntEnum):
    """Drafts of JSON Schema."""

    DRAFT_4 = 4
    DRAFT_6 = 6
    DRAFT_7 = 7
    DRAFT_2019_09 = 2019
    DRAFT_2020_12 = 2020


class SchemaFlag(IntEnum):
    """Flags of mcphost_schema_validate()."""

    DEFAULTS = 1


class ServerState(IntEnum):
    """The states of a declared server."""

    STARTING = 1
    LOADED = 2
    UNAVAILABLE = 3
    CONFIG_INVALID = 4
    DISABLED = 5


class TaskStatus(IntEnum):
    """The status of a task."""

    NONE = 0
    WORKING = 1
    INPUT_REQUIRED = 2
    COMPLETED = 3
    FAILED = 4
    CANCELLED = 5


class Part(IntEnum):
    """The parts that the library can be built without."""

    HTTP = 1
    AUTH = 2
    SERVING = 3
    SCHEMA = 4
    PROFILES = 5
    PLUGINS = 6


class ResourceTool(IntFlag):
    """Built-in tools by which a model finds and reads resources and skills. mcphost_view_add_resource_tools() describes these tools."""

    LIST = 1
    FETCH = 2
    LIST_SKILLS = 4
    READ_SKILL = 8
