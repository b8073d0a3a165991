"""How large anything may be that comes from outside, in one place: what is larger is refused before it costs anything.

Readers take their numbers from here. ``docs/limits.md`` is made from this file, from the comments too (``make pages``).
What visitors of a server may use up is in ``web/limits.py``; what a solver takes, and how much memory, it says itself.
"""

MIB = 2**20

# any input
INPUT_BYTES = 256 * MIB  # bytes of one input: a file, standard input, a text
LINE_CHARACTERS = 200_000  # characters of a link or game id: the first line of a text by which its kind is recognised
SENTENCE_CHARACTERS = 480  # characters of what is said about an error; the middle of more is left out
SEED = 2**63 - 1  # the seed that a game of chance is read with

# pictures
PICTURE_PIXELS = 178_956_970  # pixels of one picture, and of all pieces of one puzzle; Pillow itself refuses more
PICTURE_SIDE = 1_000_000  # rows or columns of pixels of one picture
JIGSAW_PIECES = 65_534  # pieces of a jigsaw: a number fits 16 bits, and two are left for what is none
JIGSAW_PIECE_PIXELS = 4096  # pixels along one side of a piece
JIGSAW_FRAME_SIDE = 4096  # rows or columns of a frame
JIGSAW_PICTURES = 5  # pictures, or pages, in one bag
STRIPS = 400  # strips or shreds in one bag
SCAN_SHEETS = 100  # scanned sheets of one puzzle
HINTS = 100_000  # hints of one sort
DRAWN_PIXELS = 2**28  # pixels of a board that is drawn: holes cost a solution nothing, but they are painted

# archives and folders of pictures
ARCHIVE_PICTURES = 2 * JIGSAW_PIECES  # pictures in a folder or ZIP archive: front and back of every piece
ARCHIVE_ENTRIES = 2 * ARCHIVE_PICTURES  # files there: some systems add a hidden one to every one
ARCHIVE_BYTES = 4 * INPUT_BYTES  # bytes of all files there together, unpacked
TAR_ENTRIES = 1_000_000  # files in a TAR archive, of which one picture is read at a time

# edge-matching puzzles
TILES_SIDE = 64  # tiles along one side of a board, square or Terracotta
TILES_COLOUR = 10**6  # the number of a colour, in size
BOXES_SIDE = 64  # boxes along one side of a board
SOLIDS_CELLS = 4096  # cells of a board of boxes
HEXAGONS_SIDE = 37  # hexagons along one side of a board: 3,997 cells
POLYGONS_PIECES = 200  # pieces of a dissection, or silhouettes
POLYGON_CORNERS = 200  # corners of one polygon
POLYGON_COORDINATE = 1e6  # a coordinate, in size

# logic grids
GRID_SIDE = 100  # rows or columns of kakuro, light-up, slitherlink, numberlink and nonograms
SUDOKU_SIDE = 25  # rows of a sudoku
CALCUDOKU_SIDE = 9  # rows of a calcudoku
CALCUDOKU_CAGE = 12  # cells of a cage: products stay exact in every engine
NUMBERLINK_LABEL = 62  # the largest label of a numberlink
MODEL_VALUE = 63  # the largest value of a variable, and the most colours of a nonogram: domains are 64 bits

# games played move by move
FIFTEEN_SIDE = 10  # rows or columns of a tray
SAMEGAME_SIDE = 50  # rows or columns of a SameGame board
SAMEGAME_COLOURS = 9  # its colours
SAMEGAME_TARGET = 10**7  # points that may be asked for
FLOOD_SIDE = 100  # rows or columns of a Flood-it board
FLOOD_COLOURS = 10  # its colours
SOKOBAN_SIDE = 64  # rows or columns of a level
SOKOBAN_TITLE = 200  # letters of its title
TETRIS_ROWS = 40  # rows of a Tetris board
TETRIS_COLS = 16  # its columns
TETRIS_GOAL = 100_000  # lines that may be asked for
TWENTY48_SIDE = 4  # rows or columns of a 2048 board
TWENTY48_TILE = 15  # the power of two of the largest tile that a game begins with
